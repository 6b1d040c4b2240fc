import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClient } from '../../../src/client/open.ts';
import { type Note, open } from '../../../src/index.ts';
import { openStore } from '../../../src/store/open.ts';
import { asof, linesOf } from '../../support/command.ts';
import { contractStore, now } from '../../support/contract-cases.ts';
import { scratchFolder } from '../../support/folders.ts';
import { type Running, startService } from '../../support/modes.ts';
import { overlookingService } from '../../support/overlooking-service.ts';
import { importFiles, newStorePath } from '../../support/scratch-store.ts';

const clock = () => now;
let store = '';
let service: Running;
beforeAll(async () => {
  store = await contractStore(scratchFolder());
  service = await startService({ openStore: () => openStore(store), clock });
});
afterAll(() => service.stop());

const onTerminal = { stdoutIsTerminal: true, columns: 100 };

/** What a command prints of a store on a terminal, and the same of its service. */
async function bothWays(line: string) {
  const embedded = await asof([...line.split(' '), '--store', store], onTerminal);
  const env = { ASOF_BASE_URL: service.url, ASOF_API_KEY: service.key };
  return { embedded, remote: await asof(line.split(' '), { ...onTerminal, env }) };
}

describe('an answer without rows', () => {
  it.each<readonly [line: string, reason: string]>([
    ['insider filings --ticker SVN --from 2026-01-20', 'the newest filing of SVN is of 2026-01-12'],
    ['insider filings --owner nobody', 'no filing that matches is held'],
    ['insider filings --ticker SVN --code Z', 'no filing of SVN that matches is held'],
    ['insider filings --as-of 2024-01-01', 'no filing is held up to 2024-01-01'],
    ['insider filings --to 2024-01-01', 'no filing is held up to 2024-01-01'],
    ['insider filings --from 2026-01-20', 'the newest filing is of 2026-01-12'],
    [
      'insider filings --from 2025-12-02 --to 2025-12-03 --as-of 2026-01-01 --ticker AIT',
      'the newest filing of AIT up to 2025-12-03 is of 2025-12-01',
    ],
    [
      'insider filings --ticker SVN --code Z --to 2026-01-20 --days 5',
      'no filing of SVN that matches is held up to 2026-01-20',
    ],
    [
      'insider filings --ticker AIT --days 2',
      'none was filed in the last 2 days, the newest on 2025-12-01; --from shows earlier ones',
    ],
    [
      'insider filings --ticker AIT',
      'none was filed in the last 30 days, the newest on 2025-12-01; --from shows earlier ones',
    ],
    [
      'insider clusters --ticker SVN --as-of 2020-01-01',
      'no filing of SVN is held up to 2020-01-01; a cluster takes purchases by 3 insiders within 14 days',
    ],
    ['insider clusters --min-insiders 20', 'a cluster takes purchases by 20 insiders within 14 days'],
    [
      'insider clusters --ticker SVN --min-insiders 20',
      'the newest filing of SVN is of 2026-01-12; a cluster takes purchases by 20 insiders within 14 days',
    ],
    [
      'curve --date 2026-01-17',
      'no curve on 2026-01-17, a Saturday; --on-or-before takes the newest one before it',
    ],
    ['yields --from 2026-01-17', 'the newest PAR rate is of 2026-01-16'],
    ['yields --to 1990-01-01', 'no PAR rate is held up to 1990-01-01'],
    ['yields --from 2026-01-10 --to 2026-01-10', '2026-01-10 was a Saturday'],
    ['spread --to 1990-01-01', 'no PAR rate of 10Y and 2Y is held up to 1990-01-01'],
    ['obs GDP --as-of 1990-01-01', 'GDP has no vintage up to 1990-01-01'],
    ['obs GDP --from 2030-01-01', 'the newest date of GDP is 2020-10-01'],
    ['obs GDP --to 1990-01-01', 'GDP begins on 2020-01-01'],
    ['panel GDP --as-of 1990-01-01', 'GDP has no vintage up to 1990-01-01'],
    ['revisions GDP --date 1900-01-01', 'no value of GDP was published for 1900-01-01'],
  ])('says why on a terminal, of a store and of its service: asof %s', async (line, reason) => {
    const { embedded, remote } = await bothWays(line);
    expect(embedded.code).toBe(0);
    expect(linesOf(embedded.err).at(-1)).toBe(`asof: no rows: ${reason}`);
    expect(remote).toEqual(embedded);
  });

  it.each(['insider filings', 'insider clusters'])(
    'about a ticker of which a store holds no filing is refused with a suggestion: asof %s',
    async (command) => {
      const { embedded, remote } = await bothWays(`${command} --ticker SVM`);
      expect(embedded).toEqual({
        code: 3,
        out: '',
        err: "asof: no filing of ticker 'SVM' is held\n      did you mean SVN?\n",
      });
      expect(remote).toEqual(embedded);
    },
  );

  it('about a ticker is not refused by a service that overlooks the range, and may have older filings', async () => {
    const client = await openClient({ store, clock });
    const { url } = await overlookingService(client, () => ({
      names: new Set(['from', 'to', 'days']),
      announcesAll: true,
    }));
    const line = ['insider', 'filings', '--from', '2025-01-01', '--ticker', 'AIT', '--base-url', url];
    const { code, err } = await asof(line, onTerminal);
    await client.close();
    expect(code).toBe(0);
    expect(linesOf(err).at(-1)).toBe('asof: no rows: the service shows no filing of AIT');
  });

  it('is just an answer where the window of filings has rows, and names the window', async () => {
    const note = 'asof: filed in the last 30 days; --from shows earlier ones\n';
    const line = ['insider', 'filings', '--ticker', 'SVN'];
    // The clock of the service is a few days after the filings.
    const env = { ASOF_BASE_URL: service.url, ASOF_API_KEY: service.key };
    expect((await asof(line, { env })).err).toBe(note);
    expect((await asof([...line, '--from', '2026-01-01'], { env })).err).toBe('');
  });
});

describe('a cursor that no service gave', () => {
  it.each(['yields', 'obs GDP'])('is named with its flag and its text: asof %s', async (command) => {
    const { embedded, remote } = await bothWays(`${command} --cursor abc`);
    expect(embedded).toEqual({
      code: 2,
      out: '',
      err: 'asof: --cursor "abc": not a cursor of this service\n',
    });
    expect(remote).toEqual(embedded);
  });
});

describe('the methods of operations', () => {
  it('give notes: what is outside of the coverage, and the window of filings', async () => {
    const notes: Note[] = [];
    const library = await open(store, { clock, onNote: (note) => void notes.push(note) });
    await library.observations('GDP', { asOf: '1990-01-01' });
    await library.insiderFilings({ ticker: 'SVN' });
    for await (const _ of library.observations.all(['GDP'], { asOf: '1990-01-01' }));
    await library.close();
    const outside = { kind: 'outside coverage', text: 'GDP has no vintage up to 1990-01-01' };
    const window = { kind: 'remark', text: "filed in the last 30 days; 'from' shows earlier ones" };
    expect(notes).toEqual([outside, window, outside]);
  });

  it('give a note where the answer is from a sample', async () => {
    const path = newStorePath(scratchFolder());
    await importFiles(path, {
      'facts.csv':
        'series_id,date,as_of_date,value,vintage_kind\nUNRATE,2008-07-01,2008-08-15,5.7,sampled\nUNRATE,2008-10-01,2008-11-15,6.5,sampled\n',
    });
    const notes: Note[] = [];
    const library = await open(path, { clock, onNote: (note) => void notes.push(note) });
    await library.observations('UNRATE', { asOf: '2008-09-16' });
    await library.close();
    expect(notes).toEqual([
      {
        kind: 'sampled',
        text: 'UNRATE is sampled: this is 2008-08-15; what was published since then may be missing',
      },
    ]);
  });
});
