import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import type { PullOptions } from '../../../src/pull/options.ts';
import { recordedBody, recording } from '../repository.ts';
import { documentOf, trade } from '../sec-documents.ts';

type Reply = {
  readonly status: number;
  readonly body: string | Buffer;
  readonly type?: string;
  /** Headers beside those of the type and the length; recordings have `headers`, which are not sent. */
  readonly extraHeaders?: Readonly<Record<string, string>>;
};

/**
 * What a loopback source sends in the place of an answer; `cut` breaks the connection in the middle of it, `reset`
 * before it, `silent` sends nothing.
 */
export type Trouble = Reply | 'cut' | 'reset' | 'silent' | undefined;

/** A server that answers as a live source does, until its test file has ended. Tests change it between two pulls. */
export type Loopback = {
  readonly url: string;
  /** How a pull finds it. */
  readonly settings: NonNullable<PullOptions['settings']>;
  /** What was asked for, oldest first: paths, or the feeds of Treasury. */
  readonly asked: readonly string[];
  /** When, in milliseconds since 1970. */
  readonly times: readonly number[];
  /** Whether answers say when they were sent, or what they say; the days of most tests are long past. */
  isDated: boolean | Date;
  /** What goes wrong with a request, by its number from 0 and what it asks for. */
  trouble: (number: number, what: string) => Trouble;
};

const servers: Server[] = [];

// Here, not in the function below: vitest ignores a hook that is set within a test.
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Starts a source that gives these replies, each with the words for what was asked for. */
export async function loopback(
  replyTo: (url: URL, request: IncomingMessage) => { readonly what: string; readonly reply: Reply },
  settingsAt: (url: string) => Loopback['settings'],
): Promise<Loopback> {
  const [asked, times]: [string[], number[]] = [[], []];
  const server = createServer((request, response) => {
    const { what, reply } = replyTo(new URL(request.url ?? '/', 'http://loopback'), request);
    const trouble = source.trouble(asked.length, what);
    asked.push(what);
    times.push(Date.now());
    if (trouble === 'silent') return;
    if (trouble === 'reset') {
      request.socket.destroy();
      return;
    }
    response.sendDate = source.isDated === true;
    if (source.isDated instanceof Date) response.setHeader('date', source.isDated.toUTCString());
    const { status, body, type = 'text/html', extraHeaders } = typeof trouble === 'object' ? trouble : reply;
    const content = Buffer.from(body);
    // A reply without changes has no body.
    const length = status === 304 ? {} : { 'content-length': content.length };
    response.writeHead(status, { 'content-type': type, ...length, ...extraHeaders });
    if (trouble === 'cut') response.write(content.subarray(0, content.length / 2), () => response.destroy());
    else response.end(content);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = settingsAt(url);
  const source: Loopback = { url, settings, asked, times, isDated: false, trouble: () => undefined };
  return source;
}

/** A recorded year of a feed of Treasury: `par 2024`. */
export function recordedFeed(name: string): string {
  const [kind, year] = name.split(' ');
  const family = kind === 'real' ? 'real_yield_curve' : 'yield_curve';
  return recordedBody(`treasury/daily_treasury_${family}_${year}.xml`).toString();
}

/** A recorded feed as it was at the end of a day: without the entries of later days, and of those before `since`. */
export function feedOn(name: string, day: string, since = ''): string {
  return recordedFeed(name).replace(/<entry>[\s\S]*?<\/entry>\s*/g, (entry) => {
    const [, date = ''] = /<d:NEW_DATE[^>]*>(\d{4}-\d{2}-\d{2})T/.exec(entry) ?? [];
    return date > day || date < since ? '' : entry;
  });
}

/** A loopback Treasury, with its feeds by kind and year; a year that is not among them has no entry. */
export type LoopbackTreasury = Loopback & { feeds: Record<string, string> };

/** Starts a loopback Treasury with some recorded feeds. */
export async function loopbackTreasury(...names: readonly string[]): Promise<LoopbackTreasury> {
  const empty = { par: feedOn('par 2024', ''), real: feedOn('real 2003', '') };
  const kinds = { daily_treasury_yield_curve: 'par', daily_treasury_real_yield_curve: 'real' } as const;
  const source = await loopback(
    ({ pathname, searchParams }) => {
      const kind = kinds[searchParams.get('data') as keyof typeof kinds];
      const year = searchParams.get('field_tdr_date_value');
      const isFeed = pathname === '/resource-center/data-chart-center/interest-rates/pages/xml';
      if (!isFeed || kind === undefined || year === null)
        return {
          what: pathname,
          reply: { status: 404, body: '<!DOCTYPE html><title>Page not found</title>' },
        };
      const what = `${kind} ${year}`;
      const body = treasury.feeds[what] ?? empty[kind];
      return { what, reply: { status: 200, body, type: 'application/xml' } };
    },
    (url) => ({ treasury: { url } }),
  );
  const feeds = Object.fromEntries(names.map((name) => [name, recordedFeed(name)]));
  const treasury: LoopbackTreasury = Object.assign(source, { feeds });
  return treasury;
}

/** A contact that the loopback SEC takes. */
export const loopbackContact = 'Jane Doe jane.doe@example.org';

/** The page with which the SEC throttles for ten minutes. */
export const throttlePage = {
  status: 403,
  body: '<!DOCTYPE html>\n<html lang="en"><head><title>SEC.gov | Request Rate Threshold Exceeded</title></head><body><h1>Request Rate Threshold Exceeded</h1></body></html>',
} as const;

/** The page with which the SEC refuses an agent that names no contact. */
export const undeclaredPage = {
  status: 403,
  body: '<!DOCTYPE html>\n<html lang="en"><head><title>SEC.gov</title></head><body><h1>Your Request Originates from an Undeclared Automated Tool</h1></body></html>',
} as const;

/** What the SEC answers where it has no such file. */
export const noSuchKey = {
  status: 404,
  body: '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>',
} as const;

/** A filing of the loopback SEC, as its list of filings states it. */
export type LoopbackFiling = {
  readonly accessionNumber: string;
  readonly form: string;
  readonly filedOn: string;
  /** Eastern time, `2026-03-03T18:01:15`. */
  readonly accepted: string;
  /** The CIK that its header names, if it names one. */
  readonly cik?: string;
};

/** A filing with a number of a day. */
export function filing(n: number, filedOn: string, form = '4'): LoopbackFiling {
  const accessionNumber = `0000000001-${filedOn.slice(2, 4)}-${String(n).padStart(6, '0')}`;
  return { accessionNumber, form, filedOn, accepted: `${filedOn}T16:30:00` };
}

/**
 * The full submission of a filing: the header of EDGAR, and a document with one purchase whose shares follow from its
 * number.
 */
export function submissionText({ accessionNumber, form, filedOn, accepted, cik }: LoopbackFiling): string {
  const shares = String(Number(accessionNumber.slice(-6)) + 1);
  const tables = trade({
    transactionDate: `<value>${filedOn}</value>`,
    transactionShares: `<value>${shares}</value>`,
  });
  return [
    `<SEC-DOCUMENT>${accessionNumber}.txt : ${filedOn.replaceAll('-', '')}`,
    `<SEC-HEADER>${accessionNumber}.hdr.sgml : ${filedOn.replaceAll('-', '')}`,
    `<ACCEPTANCE-DATETIME>${accepted.replace(/\D/g, '')}`,
    `ACCESSION NUMBER:\t\t${accessionNumber}`,
    `CONFORMED SUBMISSION TYPE:\t${form}`,
    `FILED AS OF DATE:\t\t${filedOn.replaceAll('-', '')}`,
    ...(cik === undefined ? [] : [`\t\tCENTRAL INDEX KEY:\t\t\t${cik.padStart(10, '0')}`]),
    '</SEC-HEADER>',
    '<DOCUMENT>',
    '<XML>',
    // A first report states holdings, and has no trade.
    documentOf(form === '3' ? { form, tables: '' } : { form, tables }).trim(),
    '</XML>',
    '</DOCUMENT>',
  ].join('\n');
}

/** The recorded body of a list of filings: `0000789019-03Feb2026`. */
export function recordedList(name: string): string {
  return recording(`sec/submissions-${name}.json`).response.body;
}

/** The ownership filings of a list, whose times are in UTC, from a day on. */
export function filingsIn(list: string, since = ''): readonly LoopbackFiling[] {
  const { recent }: { recent: Record<string, string[]> } = JSON.parse(list).filings;
  return (recent.accessionNumber ?? []).flatMap((accessionNumber, i) => {
    const [form = '', filedOn = '', stated = ''] = ['form', 'filingDate', 'acceptanceDateTime'].map(
      (name) => recent[name]?.[i],
    );
    if (!/^[345](?:\/A)?$/.test(form) || filedOn < since) return [];
    // What a clock in Washington shows.
    const accepted = new Date(stated).toLocaleString('sv-SE', { timeZone: 'America/New_York' });
    return [{ accessionNumber, form, filedOn, accepted: accepted.replace(' ', 'T') }];
  });
}

/** A list of filings, or with `pages` undefined a page of older ones, as the SEC writes it. */
export function listOf(
  cik: string,
  filings: readonly LoopbackFiling[],
  pages?: readonly {
    readonly name: string;
    readonly filingFrom: string;
    readonly filingTo: string;
    readonly filingCount?: number;
  }[],
): string {
  const columns = {
    accessionNumber: filings.map(({ accessionNumber }) => accessionNumber),
    filingDate: filings.map(({ filedOn }) => filedOn),
    reportDate: filings.map(({ filedOn }) => filedOn),
    acceptanceDateTime: filings.map(({ accepted }) => `${accepted}.000Z`),
    form: filings.map(({ form }) => form),
    primaryDocument: filings.map(({ filedOn }) =>
      filedOn < '2003-06-30' ? '0001.txt' : 'xslF345X05/form4.xml',
    ),
  };
  return JSON.stringify(
    pages === undefined
      ? columns
      : { cik, name: 'x', tickers: [], filings: { recent: columns, files: pages } },
  );
}

/** A form index of a day, in Latin-1: each filing under its issuer and under its owner. */
export function formIndex(filings: readonly LoopbackFiling[]): Buffer {
  const line = ({ form, filedOn, accessionNumber }: LoopbackFiling, name: string, cik: string) =>
    `${form.padEnd(12)}${name.padEnd(62)}${cik.padEnd(12)}${filedOn.replaceAll('-', '')}    edgar/data/${cik}/${accessionNumber}.txt`;
  const head = [
    'Description:           Daily Index of EDGAR Dissemination Feed by Form Type',
    '',
    'Form Type   Company Name                                                  CIK         Date Filed  File Name',
    '-'.repeat(141),
    '10-K        89bio, Inc.                                                   1785173     20200318    edgar/data/1785173/0001564590-20-011111.txt',
  ];
  const lines = filings.flatMap((filing) => [
    line(filing, 'Société Générale', '1493761'),
    line(filing, 'SZE JULIA', '1777906'),
  ]);
  return Buffer.from(`${[...head, ...lines].join('\n')}\n`, 'latin1');
}

/** A loopback SEC. */
export type LoopbackSec = Awaited<ReturnType<typeof loopbackSec>>;

/** Starts a loopback SEC without any file. */
export async function loopbackSec() {
  /** Bodies by path; the SEC has no other file. */
  const files: Record<string, string | Buffer> = {};
  /** The user agents of the requests. */
  const agents = new Set<string>();
  const noIndex = recording('sec/full-index-403.json').response;
  const noList = recording('sec/submissions-404.json').response;
  const source = await loopback(
    ({ pathname: what }, { headers }) => {
      const agent = headers['user-agent'] ?? '';
      agents.add(agent);
      const { [what]: body } = files;
      if (!agent.includes('@')) return { what, reply: undeclaredPage };
      if (body !== undefined) return { what, reply: { status: 200, body, type: 'application/octet-stream' } };
      const absent = what.startsWith('/submissions/') ? noList : noIndex;
      return { what, reply: { status: absent.status, body: absent.body, type: 'application/xml' } };
    },
    (url) => ({ sec: { url, contact: loopbackContact } }),
  );
  /** Adds full submissions under every path by which the SEC has them. */
  const addFilings = (cik: string, filings: readonly LoopbackFiling[]) => {
    for (const filing of filings) {
      const { accessionNumber: number } = filing;
      const folder = `/Archives/edgar/data/${Number(cik)}`;
      for (const path of [`${folder}/${number.replaceAll('-', '')}/${number}.txt`, `${folder}/${number}.txt`])
        files[path] = submissionText(filing);
    }
  };
  return Object.assign(source, { agents, files, addFilings });
}
