// Pseudo-random numbers by a linear congruential generator; always the same without a seed.
let state = 0;
const SIZE = 0x1000000;
const next = () => {
  state = (Math.imul(state, 1664525) + 10427871) & (SIZE - 1);
  return state;
};
const limits = (min, max, most) => min === undefined ? [0, most] : max === undefined ? [0, min] : [min, max];
return {
  seed: (s) => { state = Math.floor(s) & (SIZE - 1); },
  real: (min, max) => {
    const [low, high] = limits(min, max, 1);
    return low + (high - low) * next() / (SIZE - 1);
  },
  integer: (min, max) => {
    const [low, high] = limits(min, max, SIZE - 1);
    return low + Math.floor((high - low + 1) * next() / SIZE);
  },
};
