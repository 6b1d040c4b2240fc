import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asof } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';

const folder = newFolder();
const line = ['observations', 'GDP', '--limit', '1'];
const notice = 'asof: the shipped sample answers; `asof import` starts a store of your own\n';

/** The messages of a command that the sample answers, in the home of that name. */
async function said(
  home: string,
  more: { readonly words?: readonly string[]; readonly terminal?: boolean } = {},
) {
  const { words = [], terminal = true } = more;
  const env = { HOME: folder.path(home) };
  const { code, err } = await asof([...line, ...words], { env, stderrIsTerminal: terminal });
  expect(code).toBe(0);
  return err;
}

describe('the notice that the sample answers', () => {
  it('is printed once on a day (UTC), and again on the next', async () => {
    expect([await said('ann'), await said('ann')]).toEqual([notice, '']);
    // Commands of tests run on 2026-03-15.
    writeFileSync(folder.path('ann/.cache/asof/sample-notice'), '2026-03-14');
    expect([await said('ann'), await said('ann')]).toEqual([notice, '']);
    expect(readFileSync(folder.path('ann/.cache/asof/sample-notice'), 'utf8')).toBe('2026-03-15');
  });

  it('is not used up where nobody reads it: in a pipe, or with --quiet', async () => {
    expect(await said('bob', { terminal: false })).toBe('');
    expect(await said('bob', { words: ['--quiet'] })).toBe('');
    expect(await said('bob')).toBe(notice);
  });

  it('is printed each time where nothing can be remembered, and never fails the command', async () => {
    const file = folder.path('cy/.cache');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'a file where the folder would be');
    expect([await said('cy'), await said('cy')]).toEqual([notice, notice]);
  });
});
