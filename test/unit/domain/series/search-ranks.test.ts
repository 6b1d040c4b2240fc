import { describe, expect, it } from 'vitest';
import { areasNotFound } from '../../../../src/domain/search/areas.ts';
import { findSeries } from '../../../../src/domain/search/search.ts';
import type { SearchedSeries } from '../../../../src/domain/search/words.ts';

/** Series with the titles that FRED, the ECB, Eurostat, SECO and the OECD give them. */
const catalogue = `
BOPTEXP | Exports of Goods and Services, Balance of Payments Basis
CPIAUCSL | Consumer Price Index for All Urban Consumers: All Items in U.S. City Average
CPILFESL | Consumer Price Index for All Urban Consumers: All Items Less Food and Energy in U.S. City Average
CPMNACNSAB1GQAL | Gross Domestic Product for Albania
CUSR0000SETA02 | Consumer Price Index for All Urban Consumers: Used Cars and Trucks in U.S. City Average
DFF | Federal Funds Effective Rate
DGS1 | Market Yield on U.S. Treasury Securities at 1-Year Constant Maturity, Quoted on an Investment Basis
DGS10 | Market Yield on U.S. Treasury Securities at 10-Year Constant Maturity, Quoted on an Investment Basis
FEDFUNDS | Federal Funds Effective Rate
FPCPITOTLZGALB | Inflation, consumer prices for Albania
GDP | Gross Domestic Product
GDPC1 | Real Gross Domestic Product
HOUST | New Privately-Owned Housing Units Started: Total Units
INDPRO | Industrial Production: Total Index
JTSJOL | Job Openings: Total Nonfarm
M2SL | M2
NXGXDCMXA | Nominal Exports of Goods for Mexico
NMUR | Unemployment Rate in New Mexico
PAYEMS | All Employees, Total Nonfarm
PCEPI | Personal Consumption Expenditures: Chain-type Price Index
PINCOME | Personal Income
DSPIC96 | Real Disposable Personal Income
PSAVERT | Personal Saving Rate
RSAFS | Advance Retail Sales: Retail Trade and Food Services
ULCNFB | Nonfarm Business Sector: Unit Labor Costs for All Workers
UNRATE | Unemployment Rate
USCONS | All Employees, Construction
ECB:BISM.Q.RHGA.JP.01 | GDP, AT MARKET PRICES (SNA 93) - CH. 2000 JPY NSA
ECB:BISM.Q.VPNB.US.01 | UNIT LABOR COSTS IN MANUFACTURING - INDEX SA
ECB:ESA.Q.I2.S.0000.B1QG00.1000.TTTT.Q.U.A | Euro 12 - Gross domestic product at market price - Constant prices - ECU/euro
ECB:EXR.D.USD.EUR.SP00.A | US dollar/Euro, 2:15 pm (C.E.T.)
ECB:MUFA.Q.JP.N.B8G.G.X.JP.1000.Z5.ZZZZ.M.J | Japan, Gross saving, Transaction as a percentage of GDP - Japan Total economy
ECB:MUFA.Q.US.N.B8G.G.X.US.1000.Z5.ZZZZ.M.R | United States, Gross saving, Transaction as a percentage of GDP - Total economy
ECB:RTD.M.S0.S.L_UNETO.F | Unemployment rate, total
ECB:STS.Q.U2.N.LCIT.NS0020.4.000 | Labour cost index, total
ESTAT:EI_NA_Q_VTG.Q.SCA.CLV05_MEUR.EA | Gross domestic product (GDP) - quarterly data: Euro area (changing composition)
SECO:GDP | Switzerland, QNA: Gross Domestic Product
OECD:STES_REV.CHE.Q.B1GQ_Q.XDC._T | Gross domestic product, volume, Switzerland
OECD:STES_REV.DEU.M.CP.IX._T | Consumer prices, Germany
OECD:STES_REV.DEU.M.PRVM.IX._T | Industrial production, Germany
OECD:STES_REV.DEU.Q.B1GQ_Q.XDC._T | Gross domestic product, volume, Germany
OECD:STES_REV.FRA.M.EMP.PS._T | Employment, France
OECD:STES_REV.GBR.M.CP.IX._T | Consumer prices, United Kingdom
OECD:STES_REV.GBR.Q.ULC.IX._T | Unit labour costs, United Kingdom
OECD:STES_REV.JPN.Q.B1GQ_Q.XDC._T | Gross domestic product, volume, Japan
OECD:STES_REV.USA.M.UNEMP.PT_LF._T | Unemployment rate, United States`
  .trim()
  .split('\n')
  .map((line) => {
    const [id = '', title = ''] = line.split(' | ');
    return { id, title, units: '' };
  });

async function found(text: string) {
  return (await findSeries(catalogue, text, 'words')).map(({ series, matched }) => ({
    id: series.id,
    matched,
  }));
}

describe('the first three that a search finds', () => {
  it.each([
    ['us gdp', 'GDP GDPC1'],
    ['U.S. GDP', 'GDP GDPC1'],
    ['us unemployment', 'UNRATE OECD:STES_REV.USA.M.UNEMP.PT_LF._T'],
    ['us cpi', 'CPIAUCSL'],
    ['us inflation', 'CPIAUCSL PCEPI CPILFESL'],
    ['euro area gdp', 'ESTAT:EI_NA_Q_VTG.Q.SCA.CLV05_MEUR.EA ECB:ESA.Q.I2.S.0000.B1QG00.1000.TTTT.Q.U.A'],
    ['eurozone unemployment', 'ECB:RTD.M.S0.S.L_UNETO.F'],
    ['euro area labor costs', 'ECB:STS.Q.U2.N.LCIT.NS0020.4.000'],
    ['germany gdp', 'OECD:STES_REV.DEU.Q.B1GQ_Q.XDC._T'],
    ['german industrial production', 'OECD:STES_REV.DEU.M.PRVM.IX._T'],
    ['swiss gdp', 'SECO:GDP OECD:STES_REV.CHE.Q.B1GQ_Q.XDC._T'],
    ['japan gdp', 'OECD:STES_REV.JPN.Q.B1GQ_Q.XDC._T ECB:BISM.Q.RHGA.JP.01'],
    ['french employment', 'OECD:STES_REV.FRA.M.EMP.PS._T'],
    ['uk inflation', 'OECD:STES_REV.GBR.M.CP.IX._T'],
    ['british unit labor costs', 'OECD:STES_REV.GBR.Q.ULC.IX._T'],
    ['mexico exports', 'NXGXDCMXA'],
    ['labor market', 'UNRATE PAYEMS JTSJOL'],
    ['labour market', 'UNRATE PAYEMS JTSJOL'],
    ['interest rates', 'DGS10 DFF FEDFUNDS'],
    ['industrial production', 'INDPRO'],
    ['consumer prices', 'CPIAUCSL'],
    ['unit labor costs', 'ULCNFB'],
    ['housing starts', 'HOUST'],
    ['money supply', 'M2SL'],
    ['personal income', 'PINCOME DSPIC96'],
    ['saving rate', 'PSAVERT'],
    ['retail sales', 'RSAFS'],
    ['uneployment rate', 'UNRATE'],
    ['10 year treasury yields', 'DGS10'],
    ['dollar euro', 'ECB:EXR.D.USD.EUR.SP00.A'],
    ['used cars', 'CUSR0000SETA02'],
    ['core inflation', 'CPILFESL'],
    ['inflation rate', 'CPIAUCSL PCEPI CPILFESL'],
    ['inflatoin rate', 'CPIAUCSL PCEPI CPILFESL'],
  ])('for %j have those meant: %s', async (text, ids) => {
    const first = (await found(text)).slice(0, 3).map(({ id }) => id);
    expect(first).toEqual(expect.arrayContaining(ids.split(' ')));
  });
});

describe('a search that names an area', () => {
  const isOf = (id: string, code: string) => id.split(/[:.]/).includes(code);

  it.each([
    ['germany gdp', 'DEU'],
    ['gdp of germany', 'DEU'],
    ['germany wages', 'DEU'],
    ['switzerland gdp', 'CHE'],
  ])('finds no series of others where it has some of that area: %s', async (text, code) => {
    const rows = await found(text);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ id }) => !isOf(id, code) && id !== 'SECO:GDP')).toEqual([]);
  });

  it('finds what matches more than the area alone, if anything does', async () => {
    expect(await found('germany gdp')).toEqual([
      { id: 'OECD:STES_REV.DEU.Q.B1GQ_Q.XDC._T', matched: 'words' },
    ]);
    const some = await found('germany wages');
    expect(some.every(({ matched }) => matched === 'some')).toBe(true);
  });

  it('finds others as a part of the text where it has none of that area', async () => {
    const [first, ...rows] = await found('brazil gdp');
    expect(first).toEqual({ id: 'GDP', matched: 'some' });
    expect(rows.every(({ matched }) => matched === 'some')).toBe(true);
  });

  it('names an area of which it finds none where series of others show it', async () => {
    const named = async (text: string, all: readonly SearchedSeries[] = catalogue) =>
      areasNotFound(
        text,
        (await findSeries(all, text, 'words')).slice(0, 2).map(({ series }) => series),
      );
    expect(await named('brazil gdp')).toEqual(['Brazil']);
    expect(await named('gdp of south africa')).toEqual(['South Africa']);
    expect(await named('brazil germany gdp')).toEqual([]);
    expect(await named('germany wages')).toEqual([]);
    expect(await named('gdp')).toEqual([]);
    // What says nothing of its area may hide a series of that area on a later page.
    expect(await named('brazil gdp', [{ id: 'ECB:GDP', title: 'GDP' }])).toEqual([]);
  });

  it('takes the short name of one for no beginning of a word or an id', async () => {
    const ids = (await found('us')).map(({ id }) => id);
    expect(ids).toContain('DGS10');
    expect(ids).toContain('ECB:BISM.Q.VPNB.US.01');
    expect(ids).not.toContain('USCONS');
    // An id of FRED says nothing of its area, which alone is no match.
    expect(ids).not.toContain('GDP');
  });

  it('takes New Mexico for a part of the United States', async () => {
    const ids = (await found('mexico unemployment')).map(({ id }) => id);
    expect(ids).not.toContain('NMUR');
    expect((await found('us unemployment')).map(({ id }) => id)).toContain('NMUR');
  });

  it('counts no series of another country for one of FRED without a country', async () => {
    expect((await found('us gdp')).map(({ id }) => id)).not.toContain('CPMNACNSAB1GQAL');
  });
});

describe('a search by several words', () => {
  it('ranks those with the rarer word before those with the common one', async () => {
    const all = [
      { id: 'A', title: 'Index of prices' },
      { id: 'B', title: 'Index of wheat' },
      { id: 'C', title: 'Index of oats' },
      { id: 'D', title: 'Index of barley' },
    ];
    const [first] = await findSeries(all, 'wheat index rainfall', 'words');
    expect(first?.series.id).toBe('B');
    const rows = await findSeries([...all, { id: 'E', title: 'Rainfall' }], 'rainfall index', 'words');
    expect(rows[0]?.series.id).toBe('E');
  });

  it('ranks those with the meaning of a word before those with a common word, but not before a rare one', async () => {
    const indexes = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ id: `I${i}`, title: `Consumer Price Index, Item ${i}` }));
    const others = ['Unemployment Rate', 'Saving Rate', 'Population of Autauga'];
    const first = async (text: string, count: number) => {
      const all = [...indexes(count), ...others.map((title) => ({ id: title, title }))];
      return (await findSeries(all, text, 'words'))[0]?.series.title;
    };
    expect(await first('inflation rate', 10)).toContain('Consumer Price Index');
    expect(await first('inflatoin rate', 10)).toContain('Consumer Price Index');
    expect(await first('inflation in autauga', 50)).toBe('Population of Autauga');
  });

  it('finds what a phrase means by whole words of it, in the singular or the plural', async () => {
    const all = [
      { id: 'A', title: 'Net Export of Goods' },
      { id: 'B', title: 'Exports of Goods for Netherlands' },
      { id: 'ECB:Q.NL.X', title: 'Exports of goods' },
      { id: 'D', title: 'Balance of Payments: Current Account' },
    ];
    const rows = await findSeries(all, 'trade balance', 'words');
    expect(rows.map(({ series }) => series.id)).toEqual(['A', 'D']);
  });

  it('finds the singular of a plural', async () => {
    const all = [{ id: 'A', title: 'Export price' }];
    expect(await findSeries(all, 'exports prices', 'words')).toMatchObject([{ matched: 'title' }]);
  });
});
