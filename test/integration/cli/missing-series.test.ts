import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { asof, type Ended, importedStore, linesOf } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';
import { type Running, startService } from '../../support/modes.ts';
import { publicService } from '../../support/public-service.ts';
import { problem } from '../../support/service-double.ts';

// The commands do real work, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = newFolder();
let store = '';
let own: Running;
beforeAll(async () => {
  store = await importedStore(folder);
  own = await startService({ openStore: () => openStore(store) });
});
afterAll(() => own.stop());

/** Every kind of question about several series, with a place for their ids. */
const questions = [
  'obs % --as-of 2015-02-01',
  'obs % --units log',
  'obs % --sort asc',
  'obs % --json',
  'obs % --vintages 2014-12-31,latest',
  'obs % --as-of 2014-12-31 --vs latest',
  'panel %',
  'panel % --wide --json',
  'panel % --as-of 2015-02-01 --units log --wide',
  'panel % --as-of 2014-12-31 --vs 2015-02-01 --wide',
  'panel % --as-of-each month-end --from 2014-12-01 --to 2015-03-31 --wide',
  'panel % --as-of-each month-end --from 2014-12-01 --to 2015-03-31 --last 2',
  'diff % 2014-12-31 2015-02-01',
  'join FILE --on day %',
];

/** Runs a question about these ids; the table of a join has a day. */
function ask(question: string, ids: string, flags: readonly string[], env = {}): Promise<Ended> {
  const table = folder.write('days.csv', 'day\n2015-02-01\n');
  const words = question.replace('%', ids).replace('FILE', table).split(' ');
  return asof([...words, ...flags], { env });
}

const without = (text: string) => text.replace(/req_\w+/g, 'req_');

/** What `--json` says of the ids that are left out. */
const named = /\n {2}"missing": \[\n {4}"NOPE"\n {2}\],/;

describe.each(['a store', 'a service of asof'])('one unknown id among several, asked of %s', (place) => {
  const flags = () => (place === 'a store' ? ['--store', store] : ['--base-url', own.url]);
  const env = () => (place === 'a store' ? {} : { ASOF_API_KEY: own.key });

  it.each(questions)('%s: nothing is printed, and no file written', async (question) => {
    const path = folder.path(`${place.length}-${questions.indexOf(question)}.csv`);
    for (const more of [[], ['-o', path]]) {
      const { code, out, err } = await ask(question, 'GDP NOPE UNRATE', [...more, ...flags()], env());
      expect([code, out]).toEqual([3, '']);
      expect(err).toContain("series 'NOPE' not found");
      expect(existsSync(path)).toBe(false);
    }
  });

  it.each(questions)('%s: --skip-missing answers as without it, and says so', async (question) => {
    const { code, out, err } = await ask(question, 'GDP NOPE UNRATE --skip-missing -q', flags(), env());
    expect([code, err]).toEqual([0, 'asof: left out, because not found: NOPE\n']);
    const expected = await ask(question, 'GDP UNRATE -q', flags(), env());
    expect(expected.code).toBe(0);
    expect(named.test(out)).toBe(question.includes('--json'));
    expect(without(out.replace(named, ''))).toBe(without(expected.out));
  });

  it('a column of a file is checked, or left out with --skip-missing', async () => {
    const table = folder.write('values.csv', 'day,GDP,X\n2015-02-01,17710.7,1\n');
    const line = ['check', table, '--column', 'GDP', '--column', 'X=NOPE', ...flags()];
    const { code, out, err } = await asof(line, { env: env() });
    expect([code, out]).toEqual([3, '']);
    expect(err).toContain("series 'NOPE' not found");
    const skipped = await asof([...line, '--skip-missing', '--all-rows'], { env: env() });
    expect([skipped.code, linesOf(skipped.out).length]).toEqual([0, 2]);
    expect(skipped.err).toContain('asof: left out, because not found: NOPE\n');
    const none = ['check', table, '--column', 'X=NOPE', '--skip-missing', ...flags()];
    expect((await asof(none, { env: env() })).code).toBe(3);
  });
});

describe('one unknown id among several, asked of a service of the public description alone', () => {
  const service = () =>
    publicService((request, response) => {
      if (request.url?.includes('NOPE') !== true) return false;
      problem(response, 404, 'not-found', "series 'NOPE' not found");
      return true;
    });

  it.each([
    'obs %',
    'obs % --as-of 2015-02-01',
    'panel % --wide --json',
    'panel % --as-of 2015-02-01 --wide',
    'diff % 2014-12-31 2015-02-01',
  ])('%s: nothing is printed; --skip-missing answers about the others', async (question) => {
    const { url } = await service();
    const flags = ['--base-url', url, '--retries', '0', '-q'];
    const { code, out, err } = await ask(question, 'GDP NOPE', flags);
    expect([code, out]).toEqual([3, '']);
    expect(err).toContain("series 'NOPE' not found");
    const skipped = await ask(question, 'GDP NOPE --skip-missing', flags);
    expect([skipped.code, skipped.err]).toEqual([0, 'asof: left out, because not found: NOPE\n']);
    expect(skipped.out).toContain('17710.7');
  });

  it('a failure that is not of the id is not skipped', async () => {
    const { url } = await publicService((request, response) => {
      if (request.url?.includes('NOPE') !== true) return false;
      problem(response, 500, 'internal-error', 'an internal error occurred');
      return true;
    });
    const flags = ['--base-url', url, '--retries', '0', '-q'];
    const { code, out } = await ask('obs %', 'GDP NOPE --skip-missing', flags);
    expect([code, out]).toEqual([8, '']);
  });
});
