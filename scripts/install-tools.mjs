import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { nodeHeaders } from './build-driver.mjs';

// The tools are a package of their own, because `npm ci` would take twice as long with them.
const folder = fileURLToPath(new URL('../test/', import.meta.url));
const stamp = `${folder}node_modules/.installed`;

// A terminal of node-pty is compiled for one Node.
const wanted = `${process.versions.modules}\n${readFileSync(`${folder}package-lock.json`, 'utf8')}`;
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  console.log('Installing the tools of the tests (test/package.json)');
  // npm names itself to the scripts that it runs.
  const npm = process.env.npm_execpath;
  const [program, ...words] = npm === undefined ? ['npm', 'ci'] : [process.execPath, npm, 'ci'];
  const env = { ...process.env, ...nodeHeaders() };
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, env, encoding: 'utf8' });
  if (status === 0) writeFileSync(stamp, wanted);
  else {
    console.error(`${stdout}${stderr}
The tools of the tests could not be installed. They come from the npm registry, and node-pty needs python3, make and a
C++ compiler. \`npm run tools\` tries again; \`npm run check\` needs none of them.`);
    process.exitCode = 1;
  }
}
