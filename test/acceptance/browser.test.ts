import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { samplePath } from '../../src/platform/installation.ts';
import { openStore } from '../../src/store/open.ts';
import { browserOfTests } from '../support/explorer-pages.ts';
import { scratchFolder } from '../support/folders.ts';
import { type Running, startService } from '../support/modes.ts';
import { root } from '../support/repository.ts';

describe('the library for pages', () => {
  const openPage = browserOfTests();
  let service: Running;

  beforeAll(async () => {
    service = await startService({ openStore: () => openStore(samplePath()), corsOrigins: ['*'] });
  });
  afterAll(() => service.stop());

  it('is bundled for browsers without any module of Node, and answers there over fetch', async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `import { open, Problem } from './dist/browser.js';
          const asof = open('${service.url}', { key: '${service.key}' });
          const known = await asof.observations('GDP', { asOf: '2015-01-30', limit: 1 });
          const before = await asof.observations('GDP', { knownBefore: '2015-01-30', limit: 1 });
          const panel = await asof.panel(['GDP'], { asOfEach: 'month-end', from: '2015-01-01', to: '2015-02-28', wide: true });
          const unknown = await asof.observations('NOPE').catch((error) => [error instanceof Problem, error.kind]);
          await asof.close();
          globalThis.answers = [known.rows[0].value, before.rows[0].value, panel.rows, unknown];`,
        resolveDir: root,
      },
      ...{ bundle: true, platform: 'browser', format: 'esm', write: false },
    });
    const [bundle = { text: '' }] = outputFiles;
    expect(readFileSync(join(root, 'dist/browser.js'), 'utf8')).not.toMatch(/["'`]node:|\brequire\(/);
    const site = createServer(({ url }, response) => {
      const isScript = url === '/bundle.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(
        isScript
          ? bundle.text
          : '<!doctype html><link rel="icon" href="data:,"><script type="module" src="bundle.js"></script>',
      );
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    onTestFinished(() => void site.close());
    const { port } = site.address() as AddressInfo;
    const { page, said } = await openPage(`http://127.0.0.1:${port}/`);
    await page.waitForFunction('globalThis.answers !== undefined');
    expect(await page.evaluate('globalThis.answers')).toEqual([
      '17710.7',
      '17599.8',
      [
        { as_of: '2015-02-28', GDP: '17701.3' },
        { as_of: '2015-01-31', GDP: '17710.7' },
      ],
      [true, 'not-found'],
    ]);
    expect(said.filter((text) => !text.includes('404'))).toEqual([]);
  });

  it('compiles for a project with the types of browsers alone, and has no store', async () => {
    const folder = scratchFolder();
    const page = `import { open, Problem } from '@asof-data/asof/browser';
      const asof = open('https://data.example.org', { key: 'k' });
      const { rows } = await asof.observations('GDP', { asOf: '2015-01-30', limit: 2 });
      for (const { date, value } of rows) document.title = \`\${date.slice(0, 4)} \${value}\`;
      await asof.panel(['GDP'], { wide: true }).catch((error) => error instanceof Problem && error.detail);
      // @ts-expect-error
      asof.store;
      await asof.close();
      export {};`;
    const options = {
      ...{ target: 'ES2022', lib: ['ES2022', 'DOM'], module: 'ESNext', moduleResolution: 'bundler' },
      ...{ strict: true, noEmit: true, types: [], preserveSymlinks: true },
    };
    mkdirSync(join(folder, 'node_modules/@asof-data'), { recursive: true });
    symlinkSync(root, join(folder, 'node_modules/@asof-data/asof'));
    writeFileSync(join(folder, 'page.ts'), page);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['page.ts'] }),
    );
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch(
      (error) => error,
    );
    expect(stdout).toBe('');
  });
});
