import { describe } from 'vitest';
import { transcript } from '../../../support/command.ts';
import { scratchFolder } from '../../../support/folders.ts';
import { asking, commandModes } from '../../../support/modes.ts';
import { facts, importFiles, newStorePath } from '../../../support/scratch-store.ts';

const german = 'OECD:STES_REV.DEU.Q.B1GQ_Q.XDC._T';
const store = newStorePath(scratchFolder());
const asked = asking(store, () =>
  importFiles(store, {
    'm.csv': `series_id,title
GDP,Gross Domestic Product
UNRATE,Unemployment Rate
${german},"Gross domestic product, volume, Germany"
`,
    'f.csv': facts(...['GDP', 'UNRATE', german].map((id) => `${id} 2014-10-01 2015-02-01 1`)),
  }),
);

describe.each(commandModes)('a search by words, %s,', (mode) => {
  transcript(
    `
    # finds the series of the area that it names
    $ asof series search "germany gdp" --columns id,matched
    id,matched
    ${german},words
    $ asof series search "us gdp" --columns id,matched
    id,matched
    GDP,words
    $ asof series search us gdp --columns id,matched
    id,matched
    GDP,words

    # says that no series matches all of it
    $ asof series search "germany unemployment" --columns id,matched
    id,matched
    ${german},some
    ! asof: no series matches all of "germany unemployment"; those that match a part of it are shown
    $ asof series search "gdp ${'q'.repeat(100)}" --columns id,matched --limit 1
    …
    ! asof: no series matches all of "gdp ${'q'.repeat(73)}..."; those that match a part of it are shown
    …

    # names an area that no series is about
    $ asof series search "gdp poland" --columns id,matched
    id,matched
    GDP,some
    ${german},some
    ! asof: no series for Poland matches "gdp poland"; those that match a part of it are shown
    $ asof series search "Gdp of South Africa or New Zealand" --columns id --limit 1
    id
    GDP
    ! asof: no series for South Africa or New Zealand matches "Gdp of South Africa or New Zealand"; those that match a part of it are shown

    # says nothing of the area of a typo
    $ asof series search "gdp polnad" --columns id
    id
    GDP
    ${german}
    ! asof: no series matches all of "gdp polnad"; those that match a part of it are shown
    `,
    () => asked.as(mode),
  );
});
