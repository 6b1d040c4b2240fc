import { describe } from 'vitest';
import { transcript } from '../../support/command.ts';
import { scratchFolder } from '../../support/folders.ts';
import { asking } from '../../support/modes.ts';
import { importFiles, newStorePath } from '../../support/scratch-store.ts';

const folder = scratchFolder();
const flow = 'OECD.SDD.STES:DSD_STES_REVISIONS@DF_STES_REVISIONS(4.0)';
const header =
  'DATAFLOW,REF_AREA,FREQ,MEASURE,UNIT_MEASURE,ACTIVITY,EDITION,TIME_PERIOD,OBS_VALUE,OBS_STATUS,UNIT_MULT,DECIMALS,BASE_PER';

/** A file of editions, each as `202310 2015-Q1 100 2010`: edition, period, value and base year. */
function editions(...rows: readonly string[]): string {
  const lines = rows.map((row) => {
    const [edition, period, value, base] = row.split(' ');
    return `${flow},EA20,Q,B1GQ_Q,XDC,_T,${edition},${period},${value},A,6,0,${base}`;
  });
  return `${[header, ...lines].join('\n')}\n`;
}

const files = {
  old: { 'a.csv': editions('202309 2015-Q1 100 2010', '202401 2015-Q1 101 2010') },
  between: { 'b.csv': editions('202402 2015-Q1 110 2015') },
  new: { 'c.csv': editions('202509 2015-Q1 130 2020') },
};

const id = 'OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T';

describe.each([
  ['old', 'between', 'new'],
  ['new', 'old', 'between'],
  ['between', 'new', 'old'],
] as const)('editions of three bases, imported in the order %s, %s, %s', (...order) => {
  const store = newStorePath(folder);
  const asked = asking(store, async () => {
    for (const name of order) await importFiles(store, files[name]);
  });

  transcript(
    `
    # have in each row the unit of its edition
    $ asof revisions ${id} --columns value,as_of_date,unit -q
    value,as_of_date,unit
    100,2023-10-01,"National currency, millions, constant prices, base period 2010"
    101,2024-02-01,"National currency, millions, constant prices, base period 2010"
    110,2024-03-01,"National currency, millions, constant prices, base period 2015"
    130,2025-10-01,"National currency, millions, constant prices, base period 2020"
    $ asof observations ${id} --as-of 2024-02-29 --columns value,unit -q
    value,unit
    101,"National currency, millions, constant prices, base period 2010"
    $ asof observations ${id} --columns value,unit
    value,unit
    130,"National currency, millions, constant prices, base period 2020"

    # as of a day say nothing of later bases
    $ asof revisions ${id} --as-of 2024-02-29 --columns value,unit -q
    value,unit
    100,"National currency, millions, constant prices, base period 2010"
    101,"National currency, millions, constant prices, base period 2010"
    $ asof revisions ${id} --as-of 2024-03-01 --columns value
    value
    100
    101
    110
    ! asof: ${id} is sampled: these are the first samples with each value
    ! asof: the unit of ${id} changed on 2024-03-01: "National currency, millions, constant prices, base period 2010" -> "National currency, millions, constant prices, base period 2015"; compare growth rates, not levels (--units pch)

    # are named where levels of two bases are compared
    $ asof diff ${id} 2024-02-29 2024-03-31 --columns old,new
    old,new
    101,110
    …
    ! asof: ${id}: the unit is "National currency, millions, constant prices, base period 2010" on 2024-02-29, and "National currency, millions, constant prices, base period 2015" on 2024-03-31; compare growth rates, not levels (--units pch)
    `,
    () => asked.as('embedded'),
  );
});
