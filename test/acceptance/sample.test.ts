import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { openEmbedded } from '../../src/client/open.ts';
import { samplePath } from '../../src/index.ts';
import type { Row } from '../../src/operations/envelope.ts';
import { openStore } from '../../src/store/open.ts';
import { openDatabase } from '../../src/store/sqlite/driver.ts';
import type { Series, Store } from '../../src/store/store.ts';
import { scratchFolder } from '../support/folders.ts';
import { operations } from '../support/operations.ts';
import { variables } from '../support/raw-statements.ts';
import { root, testData } from '../support/repository.ts';
import { sampleSourcesSuite } from '../support/suites/sample-sources.ts';

const realTimeDataSet = 'Philadelphia Fed Real-Time Data Set';
const panels = 'FRED dated panel';

const folder = scratchFolder();
const sample = join(folder, 'sample.db');
let store: Store;
let client: Client;
let series: readonly Series[];

beforeAll(async () => {
  const build = join(root, 'scripts/build-sample.mjs');
  await promisify(execFile)(process.execPath, [build, sample], { cwd: folder });
  store = await openStore(sample);
  client = await openEmbedded(sample);
  series = await store.read((view) => view.series.search({ text: '', limit: 1000 }));
});

afterAll(async () => {
  await client?.close();
  await store?.close();
});

const idsFrom = (source: string) => series.filter((one) => one.source === source).map(({ id }) => id);

async function ask(name: string, given: Readonly<Record<string, string>>): Promise<readonly Row[]> {
  const operation = operations.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`no operation ${name}`);
  return (await client.ask(operation, Object.entries(given))).results;
}

async function known(id: string, date: string, asOf: string): Promise<Row | undefined> {
  const [row] = await ask('observations', { id, from: date, to: date, as_of: asOf });
  return row;
}

describe('the sample store that the build makes', () => {
  it('is the same file, byte for byte, when it is built again', () => {
    expect(sha256(samplePath())).toBe(sha256(sample));
  });

  it('is named as the sample by the client', async () => {
    expect(await client.origin()).toMatchObject({ sample: true });
  });

  it('opens in a read-only folder, and leaves no file beside it', () => {
    const locked = join(folder, 'locked');
    fs.mkdirSync(locked);
    fs.copyFileSync(sample, join(locked, 'sample.db'));
    fs.chmodSync(join(locked, 'sample.db'), 0o444);
    fs.chmodSync(locked, 0o555);
    const db = openDatabase(join(locked, 'sample.db'), { readonly: true });
    const rows = db.prepare('select count(*) from fact').pluck().get();
    // A superuser may write anywhere, so the test checks that no -wal or -shm file appeared.
    expect(fs.readdirSync(locked)).toEqual(['sample.db']);
    expect(db.pragma('journal_mode', { simple: true })).toBe('delete');
    expect(rows).toBeGreaterThan(100_000);
    db.close();
    fs.chmodSync(locked, 0o755);
  });

  it('passes the integrity check, and has no empty pages and no fact without its series', () => {
    const db = openDatabase(sample, { readonly: true });
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('freelist_count', { simple: true })).toBe(0);
    expect(db.pragma('foreign_key_check')).toEqual([]);
    db.close();
  });

  it('logs every file of data/ with its name and SHA-256, at a fixed time', async () => {
    const files = fs
      .readdirSync(join(root, 'data'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name !== 'README.md' && !fs.statSync(join(root, 'data', name)).isDirectory());
    const imports = await store.read((view) => view.sources.imports());
    const log = imports.map(({ file, sha256 }) => [file, sha256]);
    expect(log.sort()).toEqual(files.map((name) => [name, sha256(join(root, 'data', name))]).sort());
    const times = new Set(imports.map(({ importedAt }) => importedAt));
    expect([...times]).toEqual(['2026-06-02T00:00:00.000Z']);
  });

  it('contains no path of the machine that built it', () => {
    const bytes = fs.readFileSync(sample);
    for (const path of [root, folder, tmpdir(), join(root, 'data')]) expect(bytes.includes(path)).toBe(false);
  });
});

describe('the series of the sample', () => {
  it('are GDP of FRED, the 25 variables of the Real-Time Data Set and 24 series of the panels', () => {
    expect(idsFrom('FRED')).toEqual(['GDP']);
    expect(idsFrom(realTimeDataSet)).toEqual(Object.values(variables).sort());
    const figures = ['PCEPILFE', 'PCEPI', 'INDPRO', 'HOUST', 'RSAFS', 'JTSJOL', 'TCU'];
    expect(idsFrom(panels)).toEqual(expect.arrayContaining(figures));
    expect(idsFrom(panels)).toHaveLength(24);
    expect(series).toHaveLength(1 + 25 + 24);
  });

  it('each have a title, units, a frequency and a seasonal adjustment', () => {
    for (const one of series) {
      expect(one.title, one.id).not.toBe('');
      expect(one.title, one.id).not.toBe(one.id);
      expect(one.units, one.id).not.toBe('');
      expect(one.frequency, one.id).toMatch(/^[MQ]$/);
      expect(one.seasonalAdjustment, one.id).toMatch(/^(SA|SAAR|NSA)$/);
    }
  });

  it('say “snapshots” in the title if their vintages are those of the Real-Time Data Set', () => {
    for (const { id, title, source } of series) {
      expect(/mid-(month|quarter) snapshots/.test(title), id).toBe(source === realTimeDataSet);
    }
  });

  it('name no base year in their units, except consumer prices, whose base is the same in every vintage', () => {
    const based = series.filter(({ units }) => /\d{4}/.test(units)).map(({ id }) => id);
    expect(based).toEqual(['CPIAUCSL', 'CPILFESL']);
  });

  it('include no copyrighted series', () => {
    const copyrighted = /^(S&P|VIXCLS|VXOCLS|UMCSENT|AAA|BAA|NAPM|HWI)/;
    expect(series.map(({ id }) => id).filter((id) => copyrighted.test(id))).toEqual([]);
  });

  it.each([
    ['GDP', '2014-10-01', '2015-01-30', '17710.7', 'advance estimate'],
    ['GDPC1', '2008-10-01', '2009-02-15', '11599.4', 'advance estimate'],
    ['PAYEMS', '2020-04-01', '2020-05-15', '131072', 'first report'],
    ['UNRATE', '1982-10-01', '1982-11-15', '10.4', 'first report'],
    ['CPILFESL', '2022-09-01', '2022-10-15', '298.66', 'first report'],
  ])('have the published values: %s of %s as of %s is %s (%s)', async (id, date, asOf, value) => {
    expect((await known(id, date, asOf))?.value).toBe(value);
  });

  it('have no GDP of 2014Q4 on the day before its publication', async () => {
    expect(await known('GDP', '2014-10-01', '2015-01-29')).toBeUndefined();
  });

  it.each([
    ['PAR', '2023-10-19', '10Y', '4.98'],
    ['PAR', '2025-12-31', '1.5M', '3.75'],
    ['TIPS', '2021-08-03', '10Y', '-1.19'],
  ])('come with the %s curve, whose rate on %s at %s was %s', async (curve_type, date, maturity, rate) => {
    const rows = await ask('curve', { date, curve_type });
    expect(rows.find((row) => row.maturity === maturity)?.rate).toBe(rate);
  });
});

sampleSourcesSuite(testData, { whole: false });

function sha256(path: string): string {
  return createHash('sha256').update(fs.readFileSync(path)).digest('hex');
}
