// Preloaded before npm's launcher of codex, this prints what the launcher would start and which variables it read by name, and starts nothing.
// The launcher uses child_process.spawn, and process.execve where Node has it (22.15, 23.11 and later).
const child = require("node:child_process"), fs = require("node:fs"), { syncBuiltinESMExports } = require("node:module");
const real = process.env, read = new Set();
let listed; // the name that an enumeration is at: reading it then says nothing
process.env = new Proxy(real, {
  getOwnPropertyDescriptor: (env, name) => ((listed = name), Reflect.getOwnPropertyDescriptor(env, name)),
  get: (env, name) => (name === listed || typeof name !== "string" || read.add(name), (listed = undefined), env[name]),
  has: (env, name) => (typeof name !== "string" || read.add(name), name in env),
});
const report = (how, file, args, env, options) => {
  const answer = { how, file, args, env: Object.entries(env || real), names: [...read], options, node: process.execPath };
  fs.writeSync(1, JSON.stringify(answer));
  process.reallyExit(0);
};
for (const how of ["spawn", "spawnSync", "execFile", "execFileSync", "exec", "execSync", "fork"])
  child[how] = (file, args, options = {}) => report(how, file, args, options.env, { ...options, env: undefined });
if (process.execve) process.execve = (file, args, env) => report("execve", file, args, env, { stdio: "inherit" });
syncBuiltinESMExports();
