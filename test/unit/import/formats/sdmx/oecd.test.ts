import { describe, expect, test } from 'vitest';
import { formatOfKind, recognise } from '../../../../../src/import/formats/recognise.ts';
import { lines, readAll, refuses, sourceFile } from '../../../../support/source-file.ts';

const format = formatOfKind('oecd-revisions');
const flow = 'OECD.SDD.STES:DSD_STES_REVISIONS@DF_STES_REVISIONS(4.0)';
const header =
  'DATAFLOW,REF_AREA,FREQ,MEASURE,UNIT_MEASURE,ACTIVITY,EDITION,TIME_PERIOD,OBS_VALUE,OBS_STATUS,UNIT_MULT,DECIMALS,BASE_PER';

/**
 * A row as the OECD writes it. No whole answer of the OECD was recorded for asof: the columns, the figures below and
 * the codes are those that others recorded of its answers from 2023 to 2026.
 */
function row(area: string, edition: string, period: string, value: string, base = '', power = '0') {
  return `${flow},${area},Q,B1GQ_Q,XDC,_T,${edition},${period},${value},A,${power},0,${base}`;
}

const csv = (...rows: string[]) => sourceFile('oecd.csv', `${[header, ...rows].join('\n')}\n`);

/** One quarter in three editions, as the OECD gave it. */
const published = [
  row('EA20', '202411', '2015-Q1', '2840470651000'),
  row('EA20', '202310', '2015-Q1', '2279216154000'),
];

describe('an answer of the OECD revisions database', () => {
  test('is recognised', async () => {
    expect((await recognise(csv(...published))).kind).toBe('oecd-revisions');
  });

  test('dates an edition by the first day of the next month, in any order of rows', async () => {
    const { statements, coverage } = await readAll(
      format,
      csv(...published, row('EA20', '202312', '2015-Q1', '1')),
    );
    expect(lines(statements)).toEqual([
      'OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T,2015-01-01,2023-11-01,2279216154000',
      'OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T,2015-01-01,2024-01-01,1',
      'OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T,2015-01-01,2024-12-01,2840470651000',
    ]);
    expect(coverage.map(({ coveredTo }) => coveredTo)).toEqual(['2023-11-01', '2024-01-01', '2024-12-01']);
  });

  test.each([
    ['KOR', 'Q', 'B1GQ_Q', 'XDC', '_T', '2025-Q1', { 202606: '572057700000000', 202607: '574984300000000' }],
    ['KOR', 'M', 'LI_AA', 'IX', '_T', '2026-05', { 202607: '102.66' }],
    ['USA', 'M', 'PRVM', 'IX', 'BTE', '2020-03', { 202005: '99.57', 202006: '100.21', 202010: '100.39' }],
  ])(
    'keeps the recorded figures of %s.%s.%s.%s.%s',
    async (...[area, freq, measure, unit, activity, period, editions]) => {
      const key = [area, freq, measure, unit, activity];
      const rows = Object.entries(editions).map(([edition, value]) =>
        [flow, ...key, edition, period, value, 'A', '0', '2', ''].join(','),
      );
      const { statements } = await readAll(format, csv(...rows));
      expect(statements.map(({ seriesId, value }) => [seriesId, value])).toEqual(
        Object.values(editions).map((value) => [`OECD:STES_REV.${key.join('.')}`, value]),
      );
    },
  );

  // From the content constraint of the OECD of 17 July 2026.
  const listed = {
    area: 'A5M ARG EA EA11 EA17 EA18 EA19 EA20 EU EU15 G20 G4E G7 NAFTA OECD OECDE TUR ZAF',
    measure: `B1GQ_D B1GQ_Q B1GQ_V CA CP EMP EX H_EARN IM LI_AA LI_TR MABM P3_S13_Q P3_S1M_Q P51G_Q P6_Q P7_Q
      PRVM RS TOVM ULC UNEMP`,
    unit: 'GR IX PS PT_LF PT_PCOS XDC',
    activity: '_T _Z BTE C G47',
  };

  test('can be about each code that the OECD lists', async () => {
    const columns = { area: 'EA20', measure: 'B1GQ_Q', unit: 'XDC', activity: '_T' };
    for (const [column, codes] of Object.entries(listed))
      for (const code of codes.split(/\s+/)) {
        const { area, measure, unit, activity } = Object.assign({ ...columns }, { [column]: code });
        const line = `${flow},${area},Q,${measure},${unit},${activity},202310,2015-Q1,1.5,A,0,1,`;
        const { statements } = await readAll(format, csv(line));
        expect(statements[0]?.seriesId).toBe(`OECD:STES_REV.${area}.Q.${measure}.${unit}.${activity}`);
      }
  });

  test('keeps the euro area of 19 and of 20 countries apart', async () => {
    const { metadata } = await readAll(
      format,
      csv(row('EA20', '202304', '2015-Q1', '2'), row('EA19', '202303', '2015-Q1', '1')),
    );
    expect(metadata.map(({ seriesId }) => seriesId)).toEqual([
      'OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T',
      'OECD:STES_REV.EA19.Q.B1GQ_Q.XDC._T',
    ]);
  });

  test('with labels states a title, and the same figures', async () => {
    const labelled = sourceFile(
      'oecd.csv',
      [
        'STRUCTURE,STRUCTURE_ID,STRUCTURE_NAME,ACTION,REF_AREA,Reference area,FREQ,Frequency of observation,MEASURE,Measure,UNIT_MEASURE,Unit of measure,ACTIVITY,Economic activity,EDITION,Edition,TIME_PERIOD,Time period,OBS_VALUE,Observation value,OBS_STATUS,Observation status,UNIT_MULT,Unit multiplier,DECIMALS,Decimals,BASE_PER,Base period',
        `DATAFLOW,${flow},Short-term economic statistics revisions,I,EA20,Euro area (20 countries),Q,Quarterly,B1GQ_Q,"Gross domestic product, volume",XDC,National currency,_T,Total,202310,October 2023,2015-Q1,,2279216154000,,A,Normal value,0,Units,0,Zero,,`,
      ].join('\n'),
    );
    expect((await recognise(labelled)).kind).toBe('oecd-revisions');
    const { metadata, statements } = await readAll(format, labelled);
    expect(metadata).toEqual([
      {
        seriesId: 'OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T',
        title: 'Gross domestic product, volume, Euro area (20 countries)',
        frequency: 'Q',
      },
    ]);
    expect(statements).toEqual((await readAll(format, csv(published[1] ?? ''))).statements);
  });

  test('dates a new base period or multiplier by its edition', async () => {
    const file = csv(
      row('MEX', '200806', '2008-Q1', '8', '1993', '6'),
      row('MEX', '200807', '2008-Q1', '36', '2003', '6'),
    );
    const { units, metadata } = await readAll(format, file);
    expect(units).toEqual(
      [
        ['2008-07-01', 'National currency, millions, constant prices, base period 1993'],
        ['2008-08-01', 'National currency, millions, constant prices, base period 2003'],
      ].map(([asOf, units]) => ({ seriesId: 'OECD:STES_REV.MEX.Q.B1GQ_Q.XDC._T', asOf, units })),
    );
    expect(metadata[0]?.units).toBeUndefined();
  });

  const quarters = ['2007-Q1', '2007-Q2', '2007-Q3', '2007-Q4'];
  const edition = (name: string, ...values: string[]) =>
    values.map((value, index) => row('MEX', name, quarters[index] ?? '', value));
  const old = edition('200806', '1000', '1021', '1033', '1045');

  test('says that the base seems to have changed where every value has one factor', async () => {
    const { notes } = await readAll(
      format,
      csv(...old, ...edition('200807', '4500', '4594.5', '4648.5', '4702.5')),
    );
    expect(notes).toEqual([
      'OECD:STES_REV.MEX.Q.B1GQ_Q.XDC._T: the base seems to have changed with the edition 200807: each of 4 values is 4.5 times that of the edition 200806; compare growth rates, not levels',
    ]);
  });

  test.each([
    ['revised values', ['1010', '1021', '1033', '1045']],
    ['equal values', ['1000', '1021', '1033', '1045']],
    ['too few common dates', ['4500', '4594.5', '4648.5']],
  ])('says nothing about the base with %s', async (_, values) => {
    expect((await readAll(format, csv(...old, ...edition('200807', ...values)))).notes).toEqual([]);
  });

  const good = row('EA20', '202310', '2015-Q1', '1');
  refuses(format, 'oecd.csv', {
    ', row 3, column "OBS_VALUE": "2": row 2 has 1 for 2015-Q1 in the edition 202310': csv(
      good,
      row('EA20', '202310', '2015-Q1', '2'),
    ),
    ', row 2, column "EDITION": "202313": not an edition such as 202310': csv(
      row('EA20', '202313', '2015-Q1', '1'),
    ),
    ', row 2, column "TIME_PERIOD": "2015-01": not a period of the frequency Q, such as…': csv(
      row('EA20', '202310', '2015-01', '1'),
    ),
    ', row 2, column "OBS_VALUE": "many": neither a decimal number nor blank': csv(
      row('EA20', '202310', '2015-Q1', 'many'),
    ),
    ', row 2, column "DATAFLOW": "OECD.SDD.STES:DSD_STES@DF_CLI(4.1)": not of the dataflow DSD_STES_REVISIONS@DF_STES_REVISIONS':
      csv(good.replace(flow, 'OECD.SDD.STES:DSD_STES@DF_CLI(4.1)')),
    ', row 3, column "EDITION": "202310": the unit of this edition is "National currency, constant prices, base period 2020" here, and "National currency, constant prices" above':
      csv(good, row('EA20', '202310', '2015-Q2', '1', '2020')),
    ', row 1, column "EDITION": this column is missing': sourceFile(
      'oecd.csv',
      `${header.replace('EDITION', 'VINTAGE')}\n${good}\n`,
    ),
    ', row 3: …': sourceFile('oecd.csv', `${header}\n${good}\n${good.slice(0, 80)}`),
  });
});
