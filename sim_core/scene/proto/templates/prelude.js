// Environment of a template. It has no access to files: text that is written is returned to the parent process
// with the body. No text can be evaluated as code.
var __odesim = (function () {
  const printed = [];
  const say = (...words) => { if (printed.length < 50) printed.push(words.map(String).join(" ")); };
  globalThis.console = { log: say, info: say, warn: say, debug: say, error: say };
  globalThis.print = say;
  let folder = "", written = {}, known = {};
  const own = (path) => {
    const parts = [];
    for (const part of (path.startsWith("/") ? path : folder + "/" + path).split("/")) {
      if (part === "..") parts.pop(); else if (part && part !== ".") parts.push(part);
    }
    const whole = "/" + parts.join("/");
    if (!whole.startsWith(folder + "/"))
      throw new Error("templates may use files only below " + folder);
    return whole;
  };
  globalThis.wbfile = {
    fileExists: (path) => own(String(path)) in known,
    readTextFile: (path) => known[own(String(path))],
    writeTextFile: (path, text) => { known[own(String(path))] = written[own(String(path))] = String(text); },
  };
  const modules = {};
  const compile = globalThis.eval;
  const run = (values, code) => {
    const { fields, context, seed, files } = JSON.parse(values);
    folder = context.temporary_files_path;
    known = files;
    let state = seed === null ? 12345 : seed;
    Math.random = () => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      return state / 0x80000000;
    };
    if (seed === null)
      Date.now = () => 0;
    const nothing = (name, value) => { if (value && value.value === null) value.value = undefined; };
    for (const [name, field] of Object.entries(fields)) nothing(name, field);
    const body = compile(code);
    for (const kind of [function () {}, function* () {}, async function () {}, async function* () {}])
      Object.defineProperty(Object.getPrototypeOf(kind), "constructor", { value: undefined });
    globalThis.eval = globalThis.Function = undefined;
    const made = [];
    body(fields, context, modules, made);
    return JSON.stringify({ text: made.join(""), printed: printed, files: written });
  };
  return { modules, run };
})();
