import { newYork } from './zones.ts';

/** A publication that appears again and again, with the series in it. */
export type Release = {
  /** The publisher and a short name: `bls:employment-situation`; at FRED the number: `fred:320`. */
  readonly id: string;
  readonly name: string;
  /** The IANA zone of its days and times; undefined if unknown. */
  readonly zone?: string;
  /** The time of day at which it usually appears, which no calendar needs to state. */
  readonly usualTime?: string;
};

type PrincipalRelease = Release & {
  /** Its number at FRED. */
  readonly fred: number;
  /** The beginnings of its titles in calendars; the first is its name. */
  readonly titles: readonly string[];
  /** Series of FRED in it; the first says best whether it happened. */
  readonly series: readonly string[];
};

/**
 * Each entry: id, number at FRED, usual time, titles in calendars; below them its series at FRED.
 * Numbers: https://fred.stlouisfed.org/releases; times: the publishers' schedules.
 */
const table = `
bls:employment-situation 50 08:30 Employment Situation; The Employment Situation
  PAYEMS UNRATE CIVPART CE16OV UNEMPLOY EMRATIO U6RATE USPRIV MANEMP AHETPI CES0500000003 AWHAETP AWHMAN
bls:consumer-price-index 10 08:30 Consumer Price Index
  CPIAUCSL CPIAUCNS CPILFESL CPILFENS CPIENGSL CPIUFDSL CWUR0000SA0
bls:producer-price-index 46 08:30 Producer Price Index
  PPIACO PPIFIS PPIFES WPSFD49207
bls:employment-cost-index 11 08:30 Employment Cost Index
  ECIALLCIV ECIWAG ECIBEN
bls:productivity-and-costs 47 08:30 Productivity and Costs
  OPHNFB ULCNFB COMPNFB
bls:us-import-and-export-price-indexes 188 08:30 U.S. Import and Export Price Indexes
  IR IQ
bls:job-openings-and-labor-turnover-survey 192 10:00 Job Openings and Labor Turnover Survey
  JTSJOL JTSHIL JTSQUL JTSJOR JTSQUR
bea:gross-domestic-product 53 08:30 Gross Domestic Product; GDP
  GDP GDPC1 GDPDEF GDPCTPI PCEC PCECC96 GPDI GPDIC1 GCEC1 NETEXC EXPGSC1 IMPGSC1 CP A191RL1Q225SBEA GNP GNPC96
bea:personal-income-and-outlays 54 08:30 Personal Income and Outlays
  PCE PCEPI PCEPILFE PI DSPI DSPIC96 PSAVERT PCEC96
bea:us-international-trade-in-goods-and-services 51 08:30 U.S. International Trade in Goods and Services
  BOPGSTB BOPGTB
census:advance-monthly-sales-for-retail-and-food-services 9 08:30 Advance Monthly Sales for Retail and Food Services; Advance Retail Sales
  RSAFS RSXFS
census:new-residential-construction 27 08:30 New Residential Construction
  HOUST PERMIT
census:new-residential-sales 97 10:00 New Residential Sales
  HSN1F MSACSR
dol:unemployment-insurance-weekly-claims 180 08:30 Unemployment Insurance Weekly Claims Report
  ICSA CCSA IC4WSA
frb:industrial-production-and-capacity-utilization 13 09:15 G.17 Industrial Production and Capacity Utilization; Industrial Production and Capacity Utilization
  INDPRO TCU IPMAN CUMFNS IPMANSICS
frb:consumer-credit 14 15:00 G.19 Consumer Credit; Consumer Credit
  TOTALSL REVOLSL
frb:money-stock-measures 21 13:00 H.6 Money Stock Measures; Money Stock Measures
  M2SL M1SL
`;

/** The principal releases of U.S. statistics, which calendars name in their own ways. */
export const principalReleases: readonly PrincipalRelease[] = table
  .trim()
  .split(/\n(?! )/)
  .map((entry) => {
    const [head = '', series = ''] = entry.split('\n  ');
    const [id = '', fred, usualTime = '', ...words] = head.split(' ');
    const titles = words.join(' ').split('; ');
    const [name = ''] = titles;
    return { id, fred: Number(fred), name, usualTime, zone: newYork, titles, series: series.split(' ') };
  });

const bySeries = new Map(principalReleases.flatMap((one) => one.series.map((id) => [id, one] as const)));
const byId = new Map(
  principalReleases.flatMap(
    (one) =>
      [
        [one.id, one],
        [`fred:${one.fred}`, one],
      ] as const,
  ),
);

/** Returns the words of a title in lower case, joined by hyphens: `employment-situation`. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[.'’]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

const bySlug = new Map(
  principalReleases.flatMap((one) => one.titles.map((title) => [slugOf(title), one] as const)),
);

/** Returns the release that a calendar means by a title, or FRED by a number; a source begins with its publisher. */
export function releaseOf(source: string, title: string, name?: string): Release {
  const [publisher = ''] = source.split(' ');
  if (publisher === 'FRED') {
    const known = byId.get(`fred:${title}`);
    return known ?? { id: `fred:${title}`, name: name ?? `FRED release ${title}` };
  }
  const slug = slugOf(title);
  const known = bySlug.get(slug);
  // Every country has a consumer price index.
  const isOwn = publisher === 'ALFRED' || known?.id.startsWith(`${slugOf(publisher)}:`);
  if (known !== undefined && isOwn) return known;
  const zone = publisher === 'BLS' || publisher === 'BEA' ? { zone: newYork } : {};
  return { id: `${slugOf(publisher)}:${slug}`, name: title, ...zone };
}

/** Who uses the ids of FRED, and files that name nobody: another publisher may call something else `PI`. */
const idsOfFred =
  /^$|\bFRED\b|\bFed(?:eral Reserve)?\b|\bBEA\b|\bBLS\b|Bureau of (?:Economic Analysis|Labor Statistics)|\bCensus\b/i;

/** A series whose release is asked for. */
export type SeriesInRelease = {
  readonly id: string;
  /** As its publisher states it; empty if it does not. */
  readonly release: string;
  readonly publishers: string;
};

/** Returns the release of a stored series; undefined if neither its publisher nor asof says which it is. */
export function releaseOfStored({ id, release, publishers }: SeriesInRelease): Release | undefined {
  if (release === '') return idsOfFred.test(publishers) ? bySeries.get(id) : undefined;
  return byId.get(release) ?? { id: release, name: release };
}

/** Lists the series that tell whether a release happened, best first. */
export function seriesOfRelease(id: string): readonly string[] {
  return byId.get(id)?.series ?? [];
}
