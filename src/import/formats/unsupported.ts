/** How a file begins that no format claims, and what it is, as a reason to refuse it. */
type LookAlike = { readonly is: (head: string) => boolean; readonly reason: string };

/** The answers of the FRED API other than observations, by the member that only they have. */
const fredAnswers: readonly (readonly [string, string])[] = [
  ['vintage_dates', 'series/vintagedates'],
  ['release_dates', 'releases/dates'],
  ['releases', 'releases'],
  ['sources', 'sources'],
  ['categories', 'category'],
  ['tags', 'tags'],
  ['elements', 'release/tables'],
];

const lookAlikes: readonly LookAlike[] = [
  {
    is: matches(/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html|head)\b/is),
    reason: 'a web page, perhaps an error or login page saved in place of the file; download it again',
  },
  {
    is: matches(/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<!doctype\b/is),
    reason:
      'XML with a document type declaration (DOCTYPE), which is not read whatever its kind, as it could draw in other files; save it without',
  },
  {
    is: matches(/^\s*\{\s*"object"\s*:\s*"[a-z_]+"|^\s*\{.*"request_id"\s*:\s*"req_/s),
    reason: 'an answer of asof, which does not hold every statement; `asof facts` writes what import reads',
  },
  {
    is: matches(/^\s*(?:-----BEGIN PRIVACY-ENHANCED MESSAGE-----|<(?:SEC|IMS)-(?:DOCUMENT|HEADER)>)/),
    reason: 'a submission to the SEC, but not of the forms 3, 4 and 5 by which insiders report',
  },
  {
    is: matches(/^\s*(?:<\?xml[^>]*>\s*)?<(?:edgarSubmission|XML|DOCUMENT|TYPE)\b/),
    reason: 'a part of a submission to the SEC, but no ownership document',
  },
  {
    is: matches(/^ACCESSION_NUMBER\t/),
    reason: 'a table of a data set of the SEC, but not of its Insider Transactions Data Sets',
  },
  { is: matches(/^\s*\{.*"error_message"\s*:/s), reason: 'an error answer of the FRED API; ask it again' },
  ...fredAnswers.map(([member, endpoint]) => ({
    is: matches(new RegExp(`^\\s*\\{(?!.*"observations"\\s*:).*"${member}"\\s*:\\s*[[{]`, 's')),
    reason: `an answer of the FRED API, but of ${endpoint}; the figures are in series/observations`,
  })),
  {
    is: matches(
      /^\s*(?:<\?xml[^>]*>\s*)?<(?:observations|seriess|vintage_dates|releases)\b[^>]*realtime_start/,
    ),
    reason: 'an answer of the FRED API in XML; ask for it with file_type=json',
  },
  {
    is: matches(/^\s*(?:<\?xml[^>]*>\s*)?<feed\b.*DailyTreasury/s),
    reason: 'a feed of the Treasury, but not of the daily par or real yield curve',
  },
  {
    is: begins('version https://git-lfs.github.com/'),
    reason: 'a Git LFS pointer, not the file itself; run `git lfs pull`',
  },
  { is: begins('PK'), reason: 'an Office document, but no workbook of a known kind' },
  { is: begins('%PDF-'), reason: 'a PDF document; save its table as CSV' },
  { is: begins('\xd0\xcf\x11\xe0'), reason: 'an old Excel or Word file; save it as .xlsx or CSV' },
  {
    is: begins('SQLite format 3'),
    reason: 'a SQLite database, perhaps a store of asof; a store is not imported',
  },
  { is: begins('PAR1'), reason: 'a Parquet file; save it as CSV' },
  {
    is: begins('\x1f\x8b', '\x28\xb5\x2f\xfd', '\xfd7zXZ', '7z\xbc\xaf', 'BZh', 'Rar!'),
    reason: 'a compressed file; unpack it first',
  },
  {
    is: (head) => head.startsWith('ustar', 257),
    reason: 'a tar archive; unpack it and import the folder',
  },
];

/** What a file that begins with `head` seems to be instead of a known format, and what to do about it; undefined when nothing known. */
export function lookAlike(head: string): string | undefined {
  return lookAlikes.find(({ is }) => is(head))?.reason;
}

function matches(pattern: RegExp): (head: string) => boolean {
  return (head) => pattern.test(head);
}

function begins(...signatures: readonly string[]): (head: string) => boolean {
  return (head) => signatures.some((signature) => head.startsWith(signature));
}
