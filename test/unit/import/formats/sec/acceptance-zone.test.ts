import { describe, expect, it } from 'vitest';
import {
  readSubmissions,
  secSubmissionsJson,
} from '../../../../../src/import/formats/sec/submissions-json.ts';
import { recording } from '../../../../support/recordings.ts';
import { readData, testData } from '../../../../support/repository.ts';
import { sourceFile } from '../../../../support/source-file.ts';

const recorded = (name: string) =>
  sourceFile('CIK.json', recording(`sec/submissions-${name}.json`).response.body);
const acceptedAt = async (file: ReturnType<typeof sourceFile>, accession: string) =>
  (await readSubmissions(file)).find(({ accessionNumber }) => accessionNumber === accession)?.acceptedAt;

/** One list of forms with their filing dates and times of acceptance. */
const listed = (...filings: readonly (readonly [form: string, filed: string, accepted: string])[]) =>
  sourceFile(
    'CIK0000310522.json',
    JSON.stringify({
      cik: '310522',
      filings: {
        recent: {
          accessionNumber: filings.map((_, i) => `0000310522-26-00000${i}`),
          form: filings.map(([form]) => form),
          filingDate: filings.map(([, filed]) => filed),
          acceptanceDateTime: filings.map(([, , accepted]) => accepted),
        },
        files: [],
      },
    }),
  );
const first = async (file: ReturnType<typeof sourceFile>) => (await readSubmissions(file))[0]?.acceptedAt;

describe('the time of acceptance in a list of filings', () => {
  it.each([
    ['0002102148-25-000002', '2025-12-19T21:21:39Z'],
    ['0002062526-25-000004', '2025-10-15T20:35:33Z'],
    ['0000310522-25-000496', '2025-10-14T17:02:01Z'],
  ])('of %s is the same from lists of two days that state it in two zones', async (accession, instant) => {
    expect(await acceptedAt(recorded('0000310522-08Feb2026'), accession)).toBe(instant);
    expect(await acceptedAt(recorded('0000310522-05Mar2026'), accession)).toBe(instant);
  });

  it('agrees with the header of the filing, which is in Eastern time', async () => {
    const { body } = recording('sec/filing-0000320193-22-000061.json').response;
    expect(body).toContain('<ACCEPTANCE-DATETIME>20220506183057');
    expect(await acceptedAt(recorded('0000320193-05Mar2026'), '0000320193-22-000061')).toBe(
      '2022-05-06T22:30:57Z',
    );
  });

  it.each(['0000789019-03Feb2026', '0000789019-05Mar2026', '0001796129-20Jun2026'])(
    'in the list %s is on the filing date in Washington, for every ownership form',
    async (name) => {
      const washington = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' });
      const filings = await readSubmissions(recorded(name));
      expect(filings.length).toBeGreaterThan(100);
      for (const { acceptedAt: accepted, filedOn } of filings)
        expect(washington.format(new Date(accepted ?? ''))).toBe(filedOn);
    },
  );

  it('in the list of another publisher’s test is UTC', async () => {
    const list = sourceFile(
      'CIK.json',
      readData(testData, 'sec/submissions-json/cik1835632_submissions.json'),
    );
    expect(await acceptedAt(list, '0001835632-25-000091')).toBe('2025-04-24T22:59:24Z');
  });

  it.each([
    [
      'before EDGAR opens in Washington',
      ['4', '2026-03-03', '2026-03-04T01:10:00.000Z'],
      '2026-03-04T01:10:00Z',
    ],
    [
      'so early that UTC would be at night',
      ['4', '2026-03-03', '2026-03-03T08:10:00.000Z'],
      '2026-03-03T13:10:00Z',
    ],
    [
      'of an annual report after 17:30 Eastern',
      ['10-K', '2026-03-03', '2026-03-03T20:10:00.000Z'],
      '2026-03-03T17:00:00Z',
    ],
  ] as const)('is in the zone that one filing shows, accepted %s', async (_, filing, instant) => {
    const own = ['4', '2026-03-03', '2026-03-03T17:00:00.000Z'] as const;
    const file = filing[0] === '4' ? listed(filing) : listed(own, filing);
    expect(await first(file)).toBe(instant);
  });

  it('is left out, with a note, if the times fit both zones', async () => {
    const file = listed(['4', '2026-03-03', '2026-03-03T17:00:00.000Z']);
    expect(await first(file)).toBeNull();
    const notes: string[] = [];
    for await (const batch of secSubmissionsJson.read(file, {})) notes.push(...(batch.notes ?? []));
    expect(notes).toContain('its times of acceptance can be UTC or Eastern time, and are left out');
  });

  it('of what the SEC posts itself at night is no evidence', async () => {
    const night = ['EFFECT', '2026-03-02', '2026-03-03T00:15:00.000Z'] as const;
    expect(await first(listed(['4', '2026-03-03', '2026-03-03T17:00:00.000Z'], night))).toBeNull();
  });
});
