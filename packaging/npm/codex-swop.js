#!/usr/bin/env node
// Runs codex-swop from the package of this platform.
"use strict";
const { spawnSync } = require("node:child_process");
const path = require("node:path");

const platform = `codex-swop-${process.platform}-${process.arch}`;
let dir;
try {
  dir = path.dirname(require.resolve(`${platform}/package.json`));
} catch {
  console.error(`swop: the package ${platform} is missing`);
  console.error("swop: hint: npm install -g codex-swop --include=optional");
  process.exit(1);
}
const { error, signal, status } = spawnSync(path.join(dir, "bin", "codex-swop"), process.argv.slice(2), { stdio: "inherit" });
if (error) {
  console.error(`swop: ${error.message}`);
  process.exit(1);
}
if (signal) {
  process.kill(process.pid, signal);
}
process.exit(status);
