import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/series/date.ts';
import { open } from '../../../src/index.ts';
import { asof } from '../../support/command.ts';
import { scratchFolder } from '../../support/folders.ts';
import {
  type LoopbackFred,
  loopbackFred,
  recordedGdp,
  wellBehaved,
} from '../../support/pull/loopback-fred.ts';
import { pullFrom } from '../../support/pull/pulled-store.ts';
import { newStorePath, reading } from '../../support/scratch-store.ts';

const folder = scratchFolder();
const gdp = recordedGdp();
const small = { ...gdp, rows: gdp.rows.filter(({ date }) => date >= '2023-01-01') };
const chained = { ...small, description: { ...gdp.description, units: 'Billions of Chained 2017 Dollars' } };
const firstDay = '2025-01-20';

let fred: LoopbackFred;

beforeAll(async () => {
  fred = await loopbackFred();
});

beforeEach(() => {
  Object.assign(fred.state, { ...wellBehaved(), series: { GDP: small } });
  fred.requests.length = 0;
});

afterAll(() => fred.close());

/** Pulls some days after the first day; the paths that were asked for. */
async function pullOn(days: number, store: string) {
  fred.state.today = addDays(firstDay, days);
  const from = fred.requests.length;
  const { subjects } = await pullFrom(fred, store, days === 0 ? { request: { fred: ['GDP'] } } : {});
  return { asked: fred.requests.slice(from).map(({ path }) => path), subject: subjects[0] };
}

describe('the description of a series without new vintages', () => {
  it('is asked for again after a week, and a new title or unit is stored with its day', async () => {
    const store = newStorePath(folder);
    await pullOn(0, store);
    fred.state.series.GDP = chained;
    expect((await pullOn(6, store)).asked).toEqual(['series/observations']);
    const imports = await reading(store, (view) => view.sources.imports());
    const noticed = await pullOn(7, store);
    expect(noticed.asked).toEqual(['series/observations', 'series']);
    expect(noticed.subject?.notes.join()).toContain('Billions of Chained 2017 Dollars');
    expect(await reading(store, (view) => view.series.descriptionChanges('GDP'))).toMatchObject([
      {
        field: 'units',
        before: 'Billions of Dollars',
        after: 'Billions of Chained 2017 Dollars',
        changedOn: addDays(firstDay, 7),
      },
    ]);
    expect((await reading(store, (view) => view.series.find('GDP')))?.units).toBe(
      'Billions of Chained 2017 Dollars',
    );
    expect((await reading(store, (view) => view.sources.imports())).length).toBe(imports.length + 1);
    expect((await pullOn(8, store)).asked).toEqual(['series/observations']);
  });

  it('that is the same leaves no entry in the log of imports', async () => {
    const store = newStorePath(folder);
    await pullOn(0, store);
    const imports = await reading(store, (view) => view.sources.imports());
    const later = await pullOn(10, store);
    expect([later.asked, later.subject?.outcome]).toEqual([['series/observations', 'series'], 'nothing-new']);
    expect(await reading(store, (view) => view.sources.imports())).toEqual(imports);
  });
});

describe('asof series show of a series that is pulled', () => {
  it('says since when, up to which day, when the last pull was, and what changed in the description', async () => {
    const store = newStorePath(folder);
    await pullOn(0, store);
    fred.state.series.GDP = chained;
    await pullOn(7, store);
    const { err, out } = await asof(['series', 'show', 'gdp', '--store', store, '--json']);
    expect(err.split('\n').slice(0, 2)).toEqual([
      'asof: GDP is pulled from fred since 2025-01-20: up to 2025-01-27, last pulled 2025-01-27T18:00Z',
      'asof: units changed on 2025-01-27: "Billions of Dollars" -> "Billions of Chained 2017 Dollars"',
    ]);
    expect(JSON.parse(out).results[0].description_changes).toEqual([
      {
        changed_on: '2025-01-27T00:00:00Z',
        field: 'units',
        before: 'Billions of Dollars',
        after: 'Billions of Chained 2017 Dollars',
      },
    ]);
  });

  it('says in a library what the command says, and nothing of a series that is not pulled', async () => {
    const store = newStorePath(folder);
    await pullOn(0, store);
    const notes: string[] = [];
    const library = await open(store, { onNote: ({ text }) => notes.push(text) });
    await library.seriesShow('GDP');
    await library.close();
    expect(notes).toEqual([
      'GDP is pulled from fred since 2025-01-20: up to 2025-01-20, last pulled 2025-01-20T18:00Z',
    ]);
    expect((await asof(['series', 'show', 'GDP', '-f', 'csv'])).err).not.toContain('pulled');
  });
});
