// Pseudo-random numbers, those of Webots: x := (1140671485 x + 12820163) mod 2^24, in doubles, from 0.
let state = 0;
const SIZE = 0x1000000;
const next = () => {
  state = (1140671485 * state + 12820163) % SIZE;
  return state;
};
return {
  seed: (s) => { state = s; },
  real: (min, max) => {
    const [low, high] = min === undefined ? [0, 1] : max === undefined ? [0, min] : [min, max];
    return low + (high - low) * next() / (SIZE - 1);
  },
  integer: (min, max) => {
    const [low, high] = min === undefined ? [0, SIZE - 1] : max === undefined ? [1, min] : [min, max];
    return low + next() % (high - low + 1);
  },
};
