import { recording } from '../recordings.ts';
import { documentOf, trade } from '../sec-documents.ts';
import { reply, serve } from '../service-double.ts';
import type { Trouble } from './loopback-treasury.ts';

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

/** What the SEC answers where it has no such file. */
export const noSuchKey = {
  status: 404,
  body: '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>',
} as const;

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

/** The ownership filings of a list; `zone` is the one that its times are in. */
export function filingsIn(list: string, zone: 'UTC' | 'Eastern'): readonly LoopbackFiling[] {
  const parsed = JSON.parse(list);
  const recent: Record<string, string[]> = parsed.filings?.recent ?? parsed;
  return (recent.accessionNumber ?? []).flatMap((accessionNumber, i) => {
    const [form = '', filedOn = '', stated = ''] = ['form', 'filingDate', 'acceptanceDateTime'].map(
      (name) => recent[name]?.[i],
    );
    if (!/^[345](?:\/A)?$/.test(form)) return [];
    return [
      { accessionNumber, form, filedOn, accepted: zone === 'UTC' ? washington(stated) : stated.slice(0, 19) },
    ];
  });
}

/** What a clock in Washington shows at an instant. */
function washington(instant: string): string {
  const text = new Date(instant).toLocaleString('sv-SE', { timeZone: 'America/New_York' });
  return text.replace(' ', 'T');
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

/** A server that answers as the SEC does. Tests change what it has between two pulls. */
export type LoopbackSec = {
  readonly url: string;
  /** The paths that were asked for, oldest first. */
  readonly asked: readonly string[];
  /** The user agents of the requests. */
  readonly agents: Set<string>;
  /** Bodies by path; the SEC has no other file. */
  files: Record<string, string | Buffer>;
  /** Whether answers say when they were sent; the days of most tests are long past. */
  isDated: boolean;
  /** What goes wrong with a request, by its number from 0 and its path. */
  trouble: (number: number, path: string) => Trouble;
  /** Adds full submissions under every path by which the SEC has them. */
  addFilings: (cik: string, filings: readonly LoopbackFiling[]) => void;
};

/** Starts a loopback SEC until the end of the test. */
export async function loopbackSec(): Promise<LoopbackSec> {
  const asked: string[] = [];
  const agents = new Set<string>();
  const noIndex = recording('sec/full-index-403.json').response;
  const noList = recording('sec/submissions-404.json').response;
  const { url } = await serve((request, response) => {
    response.sendDate = loopback.isDated;
    const path = request.url ?? '';
    const trouble = loopback.trouble(asked.length, path);
    asked.push(path);
    const agent = request.headers['user-agent'] ?? '';
    agents.add(agent);
    const html = { 'content-type': 'text/html' };
    const xml = { 'content-type': 'application/xml' };
    const body = loopback.files[path];
    if (trouble === 'silent') return;
    if (!agent.includes('@')) reply(response, undeclaredPage.status, undeclaredPage.body, html);
    else if (trouble === 'cut') {
      const content = Buffer.from(body ?? noIndex.body);
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, content.length / 2), () => response.destroy());
    } else if (trouble !== undefined) reply(response, trouble.status, trouble.body, html);
    else if (body !== undefined) reply(response, 200, body, { 'content-type': 'application/octet-stream' });
    else if (path.startsWith('/submissions/')) reply(response, noList.status, noList.body, xml);
    else reply(response, noIndex.status, noIndex.body, xml);
  });
  const loopback: LoopbackSec = {
    url,
    asked,
    agents,
    files: {},
    isDated: false,
    trouble: () => undefined,
    addFilings(cik, filings) {
      for (const filing of filings) {
        const { accessionNumber } = filing;
        const folder = `/Archives/edgar/data/${Number(cik)}`;
        const text = submissionText(filing);
        loopback.files[`${folder}/${accessionNumber.replaceAll('-', '')}/${accessionNumber}.txt`] = text;
        loopback.files[`${folder}/${accessionNumber}.txt`] = text;
      }
    },
  };
  return loopback;
}
