import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSeries } from '../../../../src/domain/search/search.ts';
import { synonyms } from '../../../../src/domain/search/synonyms.ts';
import { closest } from '../../../../src/domain/search/words.ts';

/** Series of FRED, with the titles that FRED gives them. */
const catalogue = `
CPIAUCSL | Consumer Price Index for All Urban Consumers: All Items in U.S. City Average | Index 1982-1984=100
CPILFESL | Consumer Price Index for All Urban Consumers: All Items Less Food and Energy in U.S. City Average | Index
DGS10 | Market Yield on U.S. Treasury Securities at 10-Year Constant Maturity, Quoted on an Investment Basis | Percent
DGS1 | Market Yield on U.S. Treasury Securities at 1-Year Constant Maturity, Quoted on an Investment Basis | Percent
FEDFUNDS | Federal Funds Effective Rate | Percent
GDP | Gross Domestic Product | Billions of Dollars
GDPC1 | Real Gross Domestic Product | Billions of Chained 2017 Dollars
HOUST | New Privately-Owned Housing Units Started: Total Units | Thousands of Units
ICSA | Initial Claims | Number
PAYEMS | All Employees, Total Nonfarm | Thousands of Persons
PCEPI | Personal Consumption Expenditures: Chain-type Price Index | Index 2017=100
PCEPILFE | Personal Consumption Expenditures Excluding Food and Energy (Chain-Type Price Index) | Index 2017=100
UNRATE | Unemployment Rate | Percent`
  .trim()
  .split('\n')
  .map((line) => {
    const [id = '', title = '', units = ''] = line.split(' | ');
    return { id, title, units };
  });

/** Series of other sources, with titles and units of their own files; the OECD's file has none. */
const others = [
  {
    id: 'ECB:RTD.Q.S0.S.G_GDPM_TO_C.E',
    title: 'Gross domestic product at market prices, volume',
    units: 'EUR',
  },
  {
    id: 'ESTAT:EI_NA_Q_VTG.Q.SCA.CLV05_MEUR.EA',
    title: 'Gross domestic product (GDP) - quarterly data - vintages based on ESA 2010',
    units: 'Chain linked volumes (2005), million euro',
  },
  { id: 'OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T', title: '', units: '' },
  { id: 'OECD:STES_REV.CHE.Q.B1GQ_Q.XDC._T', title: '', units: '' },
  { id: 'OECD:STES_REV.DEU.M.UNEMP.PT_LF._T', title: '', units: '' },
  { id: 'ECB:RTD.M.S0.S.L_UNETO.F', title: '', units: '' },
];

async function found(
  text: string,
  match: 'id' | 'title' | 'any' | 'words' = 'words',
  all: typeof catalogue = catalogue,
) {
  return (await findSeries(all, text, match)).map(({ series, matched }) => `${series.id} ${matched}`);
}

describe('a search of the contract, or by titles', () => {
  it.each<['id' | 'title' | 'any', string, string[]]>([
    ['id', 'dpc', ['GDPC1 id']],
    ['id', 'gross', []],
    ['title', 'gro', ['GDP title', 'GDPC1 title']],
    ['title', 'prod GROSS', ['GDP title', 'GDPC1 title']],
    ['title', 'ross', []],
    ['title', 'gross gdpc1', []],
    ['any', 'pce', ['PCEPI id', 'PCEPILFE id']],
    ['any', 'real', ['GDPC1 title']],
    ['any', 'unr', ['UNRATE id']],
    ['any', 'unit', ['HOUST title']],
    ['title', '%', []],
    ['any', '?', []],
  ])('by %s for %j finds %j', async (match, text, ids) => expect(await found(text, match)).toEqual(ids));

  it.each(['id', 'title', 'any', 'words'] as const)('by %s finds every series for no text', async (match) => {
    expect(await found('', match)).toEqual(catalogue.map(({ id }) => `${id} null`).sort());
  });
});

describe('a search by words among series of several sources', () => {
  it.each([
    ['euro area gdp', [others[0], others[1], others[2]]],
    ['Euro Area real GDP', [others[0], others[1]]],
    ['switzerland gdp', [others[3]]],
    ['gdp swiss', [others[3]]],
    ['eurozone unemployment', [others[5]]],
    ['german unemployment', [others[4]]],
  ])('finds those about %s before all others', async (text, wanted) => {
    const rows = await found(text, 'words', [...catalogue, ...others]);
    const ids = rows.flatMap((row) => (row.endsWith(' words') ? [row.replace(' words', '')] : []));
    expect(ids.sort()).toEqual(wanted.map((series) => series?.id).sort());
    expect(rows.slice(ids.length).every((row) => row.endsWith(' some'))).toBe(true);
  });

  it('takes no part of an id of FRED for the code of an area', async () => {
    expect(await found('germany', 'words', [{ id: 'DE', title: '', units: '' }])).toEqual([]);
  });

  it('keeps EA19 and EA20 apart by their ids', async () => {
    const both = ['EA19', 'EA20'].map((area) => ({ id: `OECD:STES_REV.${area}.Q.LI`, title: '', units: '' }));
    expect(await found('ea19', 'words', both)).toEqual(['OECD:STES_REV.EA19.Q.LI id']);
  });
});

describe('a search by words', () => {
  it.each([
    ['the id before ids that begin with it', 'gdp', ['GDP id', 'GDPC1 id']],
    ['words of the title in any order', 'rate unemployment', ['UNRATE title', 'FEDFUNDS some']],
    ['beginnings of words', 'unem ra', ['UNRATE title', 'FEDFUNDS some']],
    ['one typo in a word as the nearest', 'unemploymnet rate', ['UNRATE nearest', 'FEDFUNDS some']],
    ['one typo in the beginning of a word', 'nonfrm', ['PAYEMS id']],
    ['words of the units', 'thousands persons', ['PAYEMS words', 'HOUST some']],
    ['jobs as payrolls', 'jobs', ['PAYEMS id']],
    [
      'core inflation as the price indexes without food and energy',
      'core inflation',
      ['CPILFESL id', 'PCEPILFE id'],
    ],
    ['a typo in a synonym', 'infaltion', ['CPIAUCSL id', 'CPILFESL id', 'PCEPI id', 'PCEPILFE id']],
    ['fed funds as federal funds', 'fed funds', ['FEDFUNDS id']],
    ['a number as a whole word', '1-year', ['DGS1 id']],
    ['ten-year as the yield of that maturity', 'ten-year', ['DGS10 id']],
    ['10y as the yield of that maturity', '10y', ['DGS10 id']],
    ['US10Y as the yield of that maturity', 'us10y', ['DGS10 id']],
    ['an id with one typo as the nearest', 'GDPX', ['GDP nearest', 'GDPC1 nearest']],
    ['an id with another digit as the nearest', 'UNRAT5', ['UNRATE nearest']],
    ['an id with several typos as the nearest', 'PAYEM5X', ['PAYEMS nearest']],
    ['nothing for what resembles nothing', 'zzzzzz qqqqq', []],
    ['nothing for signs', '%%%', []],
  ])('finds %s', async (_, text, expected) => {
    const all = await found(text);
    expect(all.toSorted()).toEqual([...expected].sort());
    expect(all[0]).toBe(expected[0]);
  });

  it('ranks what has more of the words first among those that have some', async () => {
    const all = [
      { id: 'A', title: 'Index', units: '' },
      { id: 'B', title: 'Claims and housing', units: '' },
    ];
    const ranked = await findSeries(all, 'claimz housong index zzzzz', 'words');
    expect(ranked.map(({ series }) => series.id)).toEqual(['B', 'A']);
  });

  describe('among series that lack a word of the text', () => {
    const titles = {
      EARN: 'Average Hourly Earnings, Total',
      EARNM: 'Average Hourly Earnings, Men',
      PRODK: 'Gross Domestic Product for Korea, Total',
      PRODKY: 'Gross Domestic Product for Korea, Youth',
      HEAT: 'Heat, Price',
    };
    const all = Object.entries(titles).map(([id, title]) => ({ id, title, units: '' }));

    it.each([
      ['takes South Korea for Korea, not for youth', 'south korea gdp', ['PRODK words', 'PRODKY words']],
      ['takes a word of the name of an area for no typo', 'south gdp', ['PRODK some', 'PRODKY some']],
      ['takes no word for a typo of a short one', 'mean wages', ['EARN some', 'EARNM some']],
      ['takes no word for a typo of a word of four letters', 'wheat price', ['HEAT some']],
      ['ranks one with a corrected word as the nearest', 'yuoth gdp', ['PRODKY nearest', 'PRODK some']],
      ['corrects the name of an area', 'gdp in koraea', ['PRODK nearest', 'PRODKY nearest']],
    ])('%s', async (_, text, expected) => expect(await found(text, 'words', all)).toEqual(expected));
  });

  it('finds the price indexes of consumers and of consumption for inflation, headline first', async () => {
    expect(await found('inflation')).toEqual(['CPIAUCSL id', 'PCEPI id', 'CPILFESL id', 'PCEPILFE id']);
  });

  it('ranks ids, titles, all words and some words, in this order', async () => {
    const kinds = (await found('unemployment rate percent')).map((text) => text.split(' ')[1]);
    expect(kinds).toEqual(['words', 'some', 'some', 'some']);
    expect((await found('real gross')).map((text) => text.split(' ')[1])).toEqual(['title', 'some']);
  });

  it('finds every series by the words of its title in any order, as its title', async () => {
    const permuted = fc
      .constantFrom(...catalogue)
      .chain(({ id, title }) =>
        fc.tuple(fc.constant(id), fc.shuffledSubarray(title.split(/[^\p{L}\p{N}]+/u))),
      )
      .filter(([, words]) => words.some((word) => word.length > 3));
    await fc.assert(
      fc.asyncProperty(permuted, async ([id, words]) => {
        const all = await findSeries(catalogue, words.join(' '), 'words');
        const hit = all.find(({ series }) => series.id === id);
        expect(hit?.matched).toMatch(/^(id|title)$/);
      }),
    );
  });

  it('finds a series by a long word of its title in spite of a letter too many, too few, exchanged or wrong', async () => {
    const words = 'unemployment domestic nonfarm employees expenditures privately'.split(' ');
    const change = fc.constantFrom<(text: string, at: number) => string>(
      (text, at) => `${text.slice(0, at)}q${text.slice(at)}`,
      (text, at) => text.slice(0, at) + text.slice(at + 1),
      (text, at) => text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2),
      (text, at) => `${text.slice(0, at)}q${text.slice(at + 1)}`,
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...words), change, fc.nat(4), async (text, changed, place) => {
        const at = place + 1;
        const holding = catalogue
          .filter(({ title }) => title.toLowerCase().includes(text))
          .map(({ id }) => id);
        const all = await findSeries(catalogue, changed(text, at), 'words');
        expect(all.map(({ series }) => series.id)).toEqual(expect.arrayContaining(holding));
      }),
    );
  });

  it('finds the same in any order of the series', async () => {
    const texts = fc.constantFrom('rate', 'price index', 'gdp', 'u.s. yield', 'PAYMES', 'units');
    const orders = fc.shuffledSubarray(catalogue, { minLength: catalogue.length });
    await fc.assert(
      fc.asyncProperty(orders, texts, async (shuffled, text) => {
        expect(await findSeries(shuffled, text, 'words')).toEqual(await findSeries(catalogue, text, 'words'));
      }),
    );
  });
});

describe('the file of synonyms', () => {
  it('has a meaning for each line, and types each in lower case as the search reads it', () => {
    for (const [typed, { ids, phrases }] of synonyms.meanings) {
      expect(typed).toMatch(/^[a-z0-9]+( [a-z0-9]+)*$/);
      expect(ids.length + phrases.length).toBeGreaterThan(0);
      for (const meaning of [...ids, ...phrases]) expect(meaning).toMatch(/^\S(.*\S)?$/);
    }
  });
});

const columns = ['date', 'value', 'as_of_date', 'series_id', 'unit', 'frequency', 'source'];

describe('closest finds the known name', () => {
  it.each([
    ['a letter missing', 'valu', 'value'],
    ['a letter too many', 'values', 'value'],
    ['two letters swapped', 'vlaue', 'value'],
    ['another letter', 'dade', 'date'],
    ['another letter case', 'UNIT', 'unit'],
    ['a hyphen for an underscore', 'as-of-date', 'as_of_date'],
    ['only the beginning, however short', 'freq', 'frequency'],
    ['blanks around it', ' source ', 'source'],
  ])('%s', (_, typed, meant) => {
    expect(closest(typed, columns)).toBe(meant);
  });

  it('prefers the closer name to the earlier one', () => {
    expect(closest('GDPC2', ['GDP', 'GDPC1'])).toBe('GDPC1');
  });

  it('counts a swap of neighbours as one mistake', () => {
    expect(closest('abdc', ['abxx', 'abcd'])).toBe('abcd');
    expect(closest('ba', ['cd', 'ab'])).toBe('ab');
  });
});

describe('closest finds nothing', () => {
  it.each([
    ['about a name that resembles nothing', 'price'],
    ['about an empty name', ''],
    ['about a short name of which little is right', 'xx'],
  ])('%s', (_, typed) => {
    expect(closest(typed, columns)).toBeUndefined();
  });

  it('without known names, or for a beginning that several share', () => {
    expect(closest('date', [])).toBeUndefined();
    expect(closest('s', ['series', 'spread'])).toBeUndefined();
  });
});
