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
  /** The beginnings of its titles in calendars, besides its name. */
  readonly titles?: readonly string[];
  /** Series of FRED in it; the first says best whether it happened. */
  readonly series: string;
};

function principal(
  id: string,
  fred: number,
  name: string,
  usualTime: string,
  series: string,
  titles: readonly string[] = [],
): PrincipalRelease {
  return { id, fred, name, usualTime, zone: newYork, series, titles };
}

/**
 * The principal releases of U.S. statistics, which calendars name in their own ways.
 * Numbers: https://fred.stlouisfed.org/releases; times: the publishers' schedules.
 */
export const principalReleases: readonly PrincipalRelease[] = [
  principal(
    'bls:employment-situation',
    50,
    'Employment Situation',
    '08:30',
    'PAYEMS UNRATE CIVPART CE16OV UNEMPLOY EMRATIO U6RATE USPRIV MANEMP AHETPI CES0500000003 AWHAETP AWHMAN',
    ['The Employment Situation'],
  ),
  principal(
    'bls:consumer-price-index',
    10,
    'Consumer Price Index',
    '08:30',
    'CPIAUCSL CPIAUCNS CPILFESL CPILFENS CPIENGSL CPIUFDSL CWUR0000SA0',
  ),
  principal(
    'bls:producer-price-index',
    46,
    'Producer Price Index',
    '08:30',
    'PPIACO PPIFIS PPIFES WPSFD49207',
  ),
  principal('bls:employment-cost-index', 11, 'Employment Cost Index', '08:30', 'ECIALLCIV ECIWAG ECIBEN'),
  principal('bls:productivity-and-costs', 47, 'Productivity and Costs', '08:30', 'OPHNFB ULCNFB COMPNFB'),
  principal(
    'bls:us-import-and-export-price-indexes',
    188,
    'U.S. Import and Export Price Indexes',
    '08:30',
    'IR IQ',
  ),
  principal(
    'bls:job-openings-and-labor-turnover-survey',
    192,
    'Job Openings and Labor Turnover Survey',
    '10:00',
    'JTSJOL JTSHIL JTSQUL JTSJOR JTSQUR',
  ),
  principal(
    'bea:gross-domestic-product',
    53,
    'Gross Domestic Product',
    '08:30',
    'GDP GDPC1 GDPDEF GDPCTPI PCEC PCECC96 GPDI GPDIC1 GCEC1 NETEXC EXPGSC1 IMPGSC1 CP A191RL1Q225SBEA GNP GNPC96',
    ['GDP'],
  ),
  principal(
    'bea:personal-income-and-outlays',
    54,
    'Personal Income and Outlays',
    '08:30',
    'PCE PCEPI PCEPILFE PI DSPI DSPIC96 PSAVERT PCEC96',
  ),
  principal(
    'bea:us-international-trade-in-goods-and-services',
    51,
    'U.S. International Trade in Goods and Services',
    '08:30',
    'BOPGSTB BOPGTB',
  ),
  principal(
    'census:advance-monthly-sales-for-retail-and-food-services',
    9,
    'Advance Monthly Sales for Retail and Food Services',
    '08:30',
    'RSAFS RSXFS',
    ['Advance Retail Sales'],
  ),
  principal(
    'census:new-residential-construction',
    27,
    'New Residential Construction',
    '08:30',
    'HOUST PERMIT',
  ),
  principal('census:new-residential-sales', 97, 'New Residential Sales', '10:00', 'HSN1F MSACSR'),
  principal(
    'dol:unemployment-insurance-weekly-claims',
    180,
    'Unemployment Insurance Weekly Claims Report',
    '08:30',
    'ICSA CCSA IC4WSA',
  ),
  principal(
    'frb:industrial-production-and-capacity-utilization',
    13,
    'G.17 Industrial Production and Capacity Utilization',
    '09:15',
    'INDPRO TCU IPMAN CUMFNS IPMANSICS',
    ['Industrial Production and Capacity Utilization'],
  ),
  principal('frb:consumer-credit', 14, 'G.19 Consumer Credit', '15:00', 'TOTALSL REVOLSL', [
    'Consumer Credit',
  ]),
  principal('frb:money-stock-measures', 21, 'H.6 Money Stock Measures', '13:00', 'M2SL M1SL', [
    'Money Stock Measures',
  ]),
];

const bySeries = new Map(
  principalReleases.flatMap((one) => one.series.split(' ').map((id) => [id, one] as const)),
);
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
  principalReleases.flatMap((one) =>
    [one.name, ...(one.titles ?? [])].map((title) => [slugOf(title), one] as const),
  ),
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
  return byId.get(id)?.series.split(' ') ?? [];
}
