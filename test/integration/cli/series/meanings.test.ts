import { describe } from 'vitest';
import { openWriter } from '../../../../src/store/open.ts';
import { statements, transcript } from '../../../support/command.ts';
import { scratchFolder } from '../../../support/folders.ts';
import { asking, commandModes } from '../../../support/modes.ts';
import { dataPath, testData } from '../../../support/repository.ts';
import { importFiles, importPaths, newStorePath } from '../../../support/scratch-store.ts';

const oecdHeader =
  'DATAFLOW,REF_AREA,FREQ,MEASURE,UNIT_MEASURE,ACTIVITY,EDITION,TIME_PERIOD,OBS_VALUE,OBS_STATUS,UNIT_MULT,DECIMALS,BASE_PER';
const ecbHeader =
  'KEY,FREQ,REF_AREA,ADJUSTMENT,RT_ECON_CONCEPT,RT_DENOM,TIME_PERIOD,OBS_VALUE,OBS_STATUS,OBS_CONF,UNIT,UNIT_MULT,ACTION,VALID_FROM,VALID_TO';

const store = newStorePath(scratchFolder());

async function make(): Promise<void> {
  await importPaths(store, [
    dataPath(testData, 'macro/fred-api/GDP-observations-all-realtime.json'),
    dataPath(testData, 'macro/rtdsm/ROUTPUTQvQd.xlsx'),
  ]);
  await importFiles(store, {
    'index.csv': statements(['INDEX,1990-01-01,2015-01-30,50', 'INDEX,1990-01-01,2018-01-30,40']),
    'metadata.csv': 'series_id,units\nINDEX,2015 = 100\n',
    'oecd.csv': `${oecdHeader}
OECD.SDD.STES:DSD_STES_REVISIONS@DF_STES_REVISIONS(4.0),EA20,Q,B1GQ_Q,XDC,_T,202309,2015-Q1,100,A,6,0,2010
`,
    'ecb.csv': `${ecbHeader}
RTD.Q.S0.S.G_GDPM_TO_C.E,Q,S0,S,G_GDPM_TO_C,E,1991-Q1,1274000.74,A,F,EUR,6,Replace,2001-01-03T15:30:00.000+01:00,
`,
  });
  await importFiles(
    store,
    { 'FETCHED.csv': 'observation_date,FETCHED\n2014-10-01,5.1\n' },
    { asOf: '2015-06-01' },
  );
  const writer = await openWriter(store);
  const change = { seriesId: 'INDEX', field: 'units', changedOn: '2018-01-30' };
  await writer.recordChange({ ...change, before: '2010 = 100', after: '2015 = 100' });
  await writer.commit();
}

const asked = asking(store, make);

describe.each(commandModes)('what a vintage means, %s', (mode) => {
  transcript(
    `
    # is said by series show, in a word and in a sentence
    $ asof series show ROUTPUT --columns id,vintage_kind,vintage_meaning -f csv
    id,vintage_kind,vintage_meaning
    ROUTPUT,sampled,mid-period
    ! asof: the date of a vintage is the middle of its month or quarter, by convention
    $ asof series search GDP --match id --columns id,vintage_meaning
    id,vintage_meaning
    ECB:RTD.Q.S0.S.G_GDPM_TO_C.E,freeze
    GDP,publication

    # is said once where a panel mixes two
    $ asof panel GDP ROUTPUT --as-of 2015-02-27 --from 2014-10-01 --wide
    …
    ! asof: vintages are dated differently: GDP by the day of publication; ROUTPUT by the middle of a month or quarter
    $ asof panel GDP ROUTPUT --as-of-each year-end --from 2014-01-01 --to 2014-12-31 --wide
    …
    ! asof: vintages are dated differently: GDP by the day of publication; ROUTPUT by the middle of a month or quarter
    $ asof panel GDP ROUTPUT --from 2014-10-01 --to 2014-10-01 --columns series_id
    series_id
    GDP
    ROUTPUT

    # is publication for --exact
    $ asof observations ROUTPUT --as-of 2015-02-27 --exact
    ! asof: --exact refuses this answer: ROUTPUT is sampled: …; its vintages are dated by the middle of a month or quarter, not by the day of publication
    !       without --exact the answer has these values, and a note
    [exit 9]
    $ asof observations FETCHED --exact
    ! asof: --exact refuses this answer: FETCHED is fetched: …; its vintages are dated by the day of a download, not by the day of publication
    !       without --exact the answer has these values, and a note
    [exit 9]
    $ asof observations OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T --exact
    ! asof: --exact refuses this answer: OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T is sampled: …; its vintages are dated by the month after an edition, not by the day of publication
    !       without --exact the answer has these values, and a note
    [exit 9]
    $ asof observations ECB:RTD.Q.S0.S.G_GDPM_TO_C.E --exact
    ! asof: --exact refuses this answer: ECB:RTD.Q.S0.S.G_GDPM_TO_C.E is sampled: …; its vintages are dated by the day before a meeting, not by the day of publication
    !       without --exact the answer has these values, and a note
    [exit 9]
    $ asof observations GDP --exact --limit 1 --columns series_id
    series_id
    GDP
    $ asof panel GDP ROUTPUT --as-of-each year-end --from 2014-01-01 --to 2014-12-31 --exact
    ! asof: --exact refuses this answer: ROUTPUT is sampled; its vintages are dated by the middle of a month or quarter, not by the day of publication
    !       without --exact the answer has these values, and a note
    [exit 9]

    # may be a new unit, which rows as of a day have and comparisons name
    $ asof observations INDEX --as-of 2018-01-29 --columns date,value,unit
    date,value,unit
    1990-01-01,50,2010 = 100
    $ asof observations INDEX --as-of 2018-01-30 --columns date,value,unit
    date,value,unit
    1990-01-01,40,2015 = 100
    $ asof diff INDEX 2018-01-29 2018-01-30 --columns old,new
    old,new
    50,40
    ! asof: INDEX: the unit is "2010 = 100" on 2018-01-29, and "2015 = 100" on 2018-01-30; compare growth rates, not levels (--units pch)
    $ asof revisions INDEX --columns value,change
    value,change
    50,
    40,-10
    ! asof: the unit of INDEX changed on 2018-01-30: "2010 = 100" -> "2015 = 100"; compare growth rates, not levels (--units pch)
    $ asof revisions INDEX --release 1 --columns date
    …
    ! asof: the unit of INDEX changed on 2018-01-30: "2010 = 100" -> "2015 = 100"; compare growth rates, not levels (--units pch)
    `,
    () => asked.as(mode),
  );
});
