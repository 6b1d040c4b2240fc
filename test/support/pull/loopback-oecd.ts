import { type Loopback, loopback, type Trouble } from './loopbacks.ts';

/** Figures by area, edition and period: `{ EA20: { '202310': { '2015-Q1': '2279216154000' } } }`. */
export type OecdFigures = Record<string, Record<string, Record<string, string>>>;

/** What the OECD answers where it has nothing. */
export const oecdReplies = {
  nothing: { status: 404, body: 'NoRecordsFound', type: 'text/plain' },
  wrongKey: { status: 422, body: '' },
  tooLarge: { status: 413, body: '' },
  busy: {
    status: 429,
    body: 'Too many downloads',
    type: 'text/plain',
    extraHeaders: { 'retry-after': '420' },
  },
} as const satisfies Readonly<Record<string, Trouble>>;

/** A loopback OECD; tests change its figures between two pulls. */
export type LoopbackOecd = Loopback & {
  figures: OecdFigures;
  /** The most areas that it takes in one request. */
  mostAreas: number;
  /** Changes the text of an answer. */
  change: (text: string, what: string) => string;
};

const labels: Readonly<Record<string, string>> = {
  EA20: 'Euro area (20 countries)',
  EA19: 'Euro area (19 countries)',
  DEU: 'Germany',
};

/** Starts a loopback OECD, which has real GDP by quarter. What is asked for reads `csvfile EA20.Q.B1GQ_Q.XDC._T.`. */
export async function loopbackOecd(figures: OecdFigures): Promise<LoopbackOecd> {
  const source: LoopbackOecd = Object.assign(
    await loopback(
      ({ pathname, searchParams }) => {
        const key = decodeURIComponent(pathname.split('/').at(-1) ?? '');
        const format = searchParams.get('format') ?? '';
        const what = `${format} ${key}`;
        return { what, reply: replyTo(source, key, format, what) };
      },
      (url) => ({ oecd: { url } }),
    ),
    { figures, mostAreas: 6, change: (text: string) => text },
  );
  return source;
}

function replyTo(source: LoopbackOecd, key: string, format: string, what: string) {
  const codes = key.split('.');
  if (codes.length !== 6) return oecdReplies.wrongKey;
  const [areas = [], [frequency] = [], [measure] = [], , , editions = []] = codes.map((code) =>
    code.split('+').filter((one) => one !== ''),
  );
  if (areas.length > source.mostAreas) return oecdReplies.tooLarge;
  const rows = areas.flatMap((area) =>
    Object.entries(source.figures[area] ?? {}).flatMap(([edition, values]) =>
      editions.length > 0 && !editions.includes(edition)
        ? []
        : Object.entries(values).map(([period, value]) => ({ area, edition, period, value })),
    ),
  );
  if (rows.length === 0 || frequency !== 'Q' || measure !== 'B1GQ_Q') return oecdReplies.nothing;
  // The same figures come in another order in each form.
  rows.sort((one, other) => (orderOf(one, format) < orderOf(other, format) ? -1 : 1));
  const body = source.change(oecdCsv(rows, format === 'csvfilewithlabels'), what);
  return {
    status: 200,
    body,
    type: 'application/vnd.sdmx.data+csv; charset=utf-8',
    extraHeaders: { 'last-modified': '2023-12-22' },
  };
}

type Row = {
  readonly area: string;
  readonly edition: string;
  readonly period: string;
  readonly value: string;
};

function orderOf({ area, edition, period }: Row, format: string): string {
  return format === 'csvfile' ? period + edition + area : [...(edition + period)].reverse().join('') + area;
}

/** Writes rows as the OECD does: the columns are those of its answers, which others have recorded. */
export function oecdCsv(rows: readonly Row[], isLabelled: boolean): string {
  const flow = 'OECD.SDD.STES:DSD_STES_REVISIONS@DF_STES_REVISIONS(4.0)';
  const lines = rows.map(({ area, edition, period, value }) =>
    isLabelled
      ? `DATAFLOW,${flow},Revisions,I,${area},${labels[area] ?? area},Q,Quarterly,B1GQ_Q,"Gross domestic product, volume",XDC,National currency,_T,Total,${edition},${edition},${period},,${value},,A,Normal value,0,Units,0,Zero,,`
      : `DATAFLOW,${flow},I,${area},Q,B1GQ_Q,XDC,_T,${edition},${period},${value},A,0,0,`,
  );
  const header = isLabelled
    ? 'STRUCTURE,STRUCTURE_ID,STRUCTURE_NAME,ACTION,REF_AREA,Reference area,FREQ,Frequency of observation,MEASURE,Measure,UNIT_MEASURE,Unit of measure,ACTIVITY,Economic activity,EDITION,Edition,TIME_PERIOD,Time period,OBS_VALUE,Observation value,OBS_STATUS,Observation status,UNIT_MULT,Unit multiplier,DECIMALS,Decimals,BASE_PER,Base period'
    : 'STRUCTURE,STRUCTURE_ID,ACTION,REF_AREA,FREQ,MEASURE,UNIT_MEASURE,ACTIVITY,EDITION,TIME_PERIOD,OBS_VALUE,OBS_STATUS,UNIT_MULT,DECIMALS,BASE_PER';
  return `${[header, ...lines].join('\r\n')}\r\n`;
}
