import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';
import { root } from './repository.ts';

/**
 * Starts Chromium without a window. It comes from the package @sparticuz/chromium with all libraries that it needs
 * but those of every Linux, so that a machine needs no browser; `ASOF_CHROMIUM` names another one, for machines for
 * which the package has none.
 */
export function startBrowser(): Promise<Browser> {
  const named = process.env.ASOF_CHROMIUM;
  const folder = named === undefined ? unpackedChromium() : '';
  return chromium.launch({
    executablePath: named ?? join(folder, 'chromium'),
    // Chromium does not start with its sandbox as root, nor in a container without user namespaces. It opens pages of
    // this repository alone.
    args: ['--no-sandbox'],
    ...(named === undefined && {
      env: {
        LD_LIBRARY_PATH: join(folder, 'lib'),
        FONTCONFIG_PATH: folder,
        HOME: folder,
        TZ: 'America/New_York',
      },
    }),
  });
}

/** The folder in which Chromium is unpacked, once for each version; several processes may do so at once. */
function unpackedChromium(): string {
  const packed = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '../../bin');
  const { version } = JSON.parse(readFileSync(join(packed, '../package.json'), 'utf8')) as {
    version: string;
  };
  const cache = join(root, 'node_modules/.cache');
  const folder = join(cache, `asof-chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, 'asof-chromium-'));
  const content = (name: string) => brotliDecompressSync(readFileSync(join(packed, name)));
  writeFileSync(join(draft, 'chromium'), content('chromium.br'), { mode: 0o755 });
  for (const name of ['al2023.tar.br', 'fonts.tar.br'])
    execFileSync('tar', ['-x', '-C', draft], { input: content(name) });
  writeFileSync(
    join(draft, 'fonts.conf'),
    `<?xml version="1.0"?><fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/cache</cachedir></fontconfig>`,
  );
  try {
    renameSync(draft, folder);
  } catch {
    // Another process was first.
    rmSync(draft, { recursive: true });
  }
  return folder;
}
