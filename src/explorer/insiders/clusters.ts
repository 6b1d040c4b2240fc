import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { Exact } from '../../domain/values/arithmetic.ts';
import { type Day, dayNumber } from '../../domain/values/date.ts';
import { counted, grouped } from '../../errors/wording.ts';
import { DataRow, type DataSource } from '../controls/data-row.ts';
import { DataTable } from '../controls/data-table.ts';
import { DayField, Field, type InputEvent, Offer } from '../controls/fields.ts';
import {
  type AskedParams,
  cell,
  type OpenedView,
  type PageContext,
  type ServedRow,
  ServiceFailure,
  useAnswer,
} from '../page-service.ts';
import type { PageState, StateChange } from '../state.ts';

/** Opens the clusters; the state on show decides which are requested. */
export function openClusters(context: PageContext): OpenedView {
  return {
    title: 'Clusters of insiders',
    show: (state) => html`<${ClustersView} ...${{ context, state }} />`,
  };
}

type ClustersViewProps = { readonly context: PageContext; readonly state: PageState };

function ClustersView({ context, state }: ClustersViewProps): VNode {
  const asked = {
    as_of: state['as-of'],
    ticker: state.ticker?.toUpperCase(),
    min_insiders: state['min-insiders'],
    days: state.days,
    from: state.from,
    to: state.to,
    limit: '100',
  };
  const question = JSON.stringify(asked);
  const ask = async () => {
    const { rows, hasMore } = await context.service.page('insider/clusters', asked);
    const newest = `The newest ${rows.length} clusters; narrow the search to see others.`;
    const some = hasMore ? newest : `${counted(rows.length, 'cluster')}.`;
    return { found: rows.length === 0 ? await whyNone(asked, context) : some, rows };
  };
  const answer = useAnswer(question, ask, (error) => {
    // The fields stay, so that a wrong one can be changed.
    if (error instanceof ServiceFailure && error.status === 400) context.warn([`${error.message}.`]);
    else context.fail(error);
  });
  const { found = '', rows = [] } = answer?.value ?? {};
  // An answer does not disturb typing.
  const fields = useMemo(() => html`<${ClusterFields} ...${{ context, state }} />`, [context, state]);
  return html`
    <article aria-busy=${answer?.question === question ? undefined : 'true'}>
      <h1>Clusters of insiders</h1>
      <p class="facts">Officers and directors of one company who bought its shares within days of each other.</p>
      ${fields}
      <p class="facts" role="status">${found}</p>
      ${rows.length > 0 && html`<${ClusterTable} key=${answer?.question} ...${{ context, state, asked, rows }} />`}
      ${answer !== undefined && html`<${DataRow} context=${context} sources=${sourcesOf(asked)} />`}
    </article>`;
}

/** Says why there is no cluster, and leads to what there is. */
async function whyNone(asked: AskedParams, context: PageContext): Promise<VNode> {
  const { ticker, as_of, min_insiders = '3', days = '14' } = asked;
  const { rows, answer } = await context.service.page('insider/filings', {
    ...{ ticker, as_of },
    from: '1900-01-01',
    limit: '1',
  });
  const unknown = answer.unknown_ticker as { readonly nearest?: string | null } | undefined;
  const { nearest } = unknown ?? {};
  const filed = `${ticker === undefined ? '' : ` of ticker ${ticker}`}${as_of === undefined ? '' : ` up to ${as_of}`}`;
  const whose =
    ticker === undefined ? '' : ` of ${ticker}, whose newest filing is of ${cell(rows[0], 'filing_date')}`;
  const reason =
    rows.length === 0
      ? `0 clusters: the store has no filing${filed}.`
      : `0 clusters${whose}. A cluster needs purchases by ${min_insiders} insiders within ${days} days.`;
  const isNarrowed = Object.entries(asked).some(([name, value]) => name !== 'limit' && value !== undefined);
  const all = ticker !== undefined && rows.length === 0 ? 'show all companies' : 'show all clusters';
  return html`
    ${reason} ${nearest && html`<${Offer} ...${{ context, change: { ticker: nearest } }}>Show ${nearest}<//>, or `}
    ${isNarrowed && html`<${Offer} ...${{ context, change: everyCluster }}>${all}<//>`}
    ${!isNarrowed && rows.length === 0 && html`<code>asof pull sec --ticker TICKER</code> brings those of a company.`}`;
}

/** The state without what narrows the search. */
const everyCluster: StateChange = {
  ...{ 'as-of': '', ticker: '', 'min-insiders': '', days: '', from: '', to: '' },
};

function ClusterFields({ context, state }: ClustersViewProps): VNode {
  type Name = keyof StateChange;
  const dayField = (label: string, name: Name) =>
    html`<${DayField} ...${{ label, name, context }} day=${state[name]} />`;
  const textField = (label: string, name: Name, attributes: object) => html`
    <${Field} label=${label}>
      <input autocomplete="off" ...${attributes} value=${state[name] ?? ''}
        onChange=${({ currentTarget }: InputEvent) => context.go({ [name]: currentTarget.value.trim() })} />
    <//>`;
  return html`
    <div class="controls">
      ${dayField('As of', 'as-of')}
      ${textField('Ticker', 'ticker', { size: 8, spellcheck: false })}
      ${textField('Insiders at least', 'min-insiders', { type: 'number', min: 1, max: 99, placeholder: '3' })}
      ${textField('Within days', 'days', { type: 'number', min: 1, max: 365, placeholder: '14' })}
      ${dayField('Last trade from', 'from')}
      ${dayField('to', 'to')}
    </div>`;
}

/** The columns of the table: fields of a cluster, and whether they are numbers. */
const columns = [
  ['ticker', 'Ticker', false],
  ['issuer_name', 'Company', false],
  ['cluster_size', 'Insiders', true],
  ['total_value', 'Value', true],
  ['date_last', 'Traded', false],
  ['detected_on', 'Public on', false],
] as const;

type ClusterTableProps = ClustersViewProps & {
  readonly rows: readonly ServedRow[];
  readonly asked: AskedParams;
};

/** Shows clusters in the order of a column; a cluster opens its trades below it. */
function ClusterTable({ context, state, asked, rows }: ClusterTableProps): VNode {
  const [sorted = '', direction] = (state.sort ?? '').split(' ');
  const isFalling = direction === 'desc';
  const column = columns.find(([name]) => name === sorted);
  const order = (a: ServedRow, b: ServedRow) => {
    const [one, other] = [cell(a, sorted), cell(b, sorted)];
    const first = column?.[2] === true ? Number(one) - Number(other) : one.localeCompare(other, 'en');
    return isFalling ? -first : first;
  };
  const shown = column === undefined ? rows : rows.toSorted(order);
  const sortBy = (name: string, isNumber: boolean) => () => {
    // The largest numbers and the newest days come first.
    const begin = isNumber || name.includes('_on') || name.startsWith('date') ? 'desc' : 'asc';
    const next = name !== sorted ? begin : ({ asc: 'desc', desc: 'asc' }[direction ?? ''] ?? begin);
    context.go({ sort: `${name} ${next}` }, 'replace');
  };
  return html`
    <div class="scroll whole" tabindex="0" role="region" aria-label="Clusters">
      <table class="clusters">
        <thead>
          <tr>
            ${columns.map(([name, label, isNumber]) => {
              const direct = isFalling ? 'descending' : 'ascending';
              return html`
                <th scope="col" class=${isNumber ? 'number' : ''} aria-sort=${name === sorted ? direct : undefined}>
                  <button type="button" class="sort" onClick=${sortBy(name, isNumber)}>${label}</button>
                </th>`;
            })}
          </tr>
        </thead>
        <tbody>
          ${shown.map((row) => html`<${Cluster} key=${nameOf(row)} ...${{ context, asked, row }} isOpen=${nameOf(row) === state.open} />`)}
        </tbody>
      </table>
    </div>`;
}

type ClusterProps = {
  readonly context: PageContext;
  readonly asked: AskedParams;
  readonly row: ServedRow;
  readonly isOpen: boolean;
};

function Cluster({ context, asked, row, isOpen }: ClusterProps): VNode {
  const [first, last, value] = ['date_first', 'date_last', 'total_value'].map((name) => cell(row, name));
  const toggle = () => context.go({ open: isOpen ? '' : nameOf(row) }, 'replace');
  return html`
    <tr>
      <th scope="row">
        <button type="button" class="link" aria-expanded=${isOpen ? 'true' : 'false'} onClick=${toggle}>
          ${cell(row, 'ticker') || '(no ticker)'}
        </button>
      </th>
      <td class="issuer">${cell(row, 'issuer_name')}</td>
      <td class="number">${cell(row, 'cluster_size')}</td>
      <td class="number">${value && `$${grouped(new Exact(value).toFixed(0))}`}</td>
      <td>${first === last ? first : `${first} to ${last}`}</td>
      <td>${cell(row, 'detected_on')}</td>
    </tr>
    ${
      isOpen &&
      html`<tr class="opened"><td colspan=${columns.length}><${ClusterTrades} ...${{ context, asked, row }} isOf=${(one: ServedRow) => nameOf(one) === nameOf(row)} /></td></tr>`
    }`;
}

const tradeFields = {
  Traded: 'transaction_date',
  Filed: 'filing_date',
  Insider: 'owner_name',
  Shares: 'shares',
  Price: 'price_per_share',
  Verdict: 'verdict',
  Reason: 'reason',
};

const tradeHeads = [...Object.keys(tradeFields), 'Filing'];

const tradeWords = tradeHeads.filter((head) => head !== 'Shares' && head !== 'Price');

type ClusterTradesProps = {
  readonly context: PageContext;
  readonly asked: AskedParams;
  readonly row: ServedRow;
  /** Tells whether a trade is near the cluster. */
  readonly isOf: (trade: ServedRow) => boolean;
};

/** Requests the trades of a cluster and those near it, and shows them over time and as a table. */
function ClusterTrades({ context, asked, row, isOf }: ClusterTradesProps): VNode {
  const ask = async () => {
    const last = cell(row, 'date_last');
    const { min_insiders, days, as_of } = asked;
    const params = { min_insiders, days, as_of, ticker: cell(row, 'ticker'), from: last, to: last };
    return (await context.service.rows('insider/clusters/explanations', params)).filter(isOf);
  };
  const { value: trades = [] } = useAnswer('trades', ask, context.fail) ?? {};
  const cellsOf = (i: number) => [
    ...Object.values(tradeFields).map((name) => cell(trades[i], name)),
    { text: 'SEC', href: filingAddress(trades[i]) },
  ];
  return html`
    <div class="trades">
      ${trades.length > 0 && html`<${Timeline} trades=${trades} detected=${cell(row, 'detected_on')} />`}
      <${DataTable} caption="The trades of the cluster and those near it, by trade date" heads=${tradeHeads} words=${tradeWords}
        rows=${trades.length} cellsOf=${cellsOf} />
    </div>`;
}

/** Returns the address of a filing at the SEC. */
function filingAddress(trade: ServedRow | undefined): string {
  const [cik, number] = [Number(cell(trade, 'issuer_cik')), cell(trade, 'accession_number')];
  return `https://www.sec.gov/Archives/edgar/data/${cik}/${number.replaceAll('-', '')}/${number}-index.htm`;
}

const [width, lane, left] = [720, 20, 190];

/** Shows who traded when, and how many days later the filing was public. */
function Timeline({
  trades,
  detected,
}: {
  readonly trades: readonly ServedRow[];
  readonly detected: Day;
}): VNode {
  const owners = [...new Set(trades.map((trade) => cell(trade, 'owner_name')))];
  const days = trades
    .flatMap((trade) => [cell(trade, 'transaction_date'), cell(trade, 'filing_date')])
    .sort();
  const [first, last] = [dayNumber(days[0] ?? ''), dayNumber(days.at(-1) ?? '')];
  const x = (day: Day) => left + ((width - left - 16) * (dayNumber(day) - first)) / Math.max(1, last - first);
  const height = owners.length * lane + 28;
  return html`
    <svg class="timeline" viewBox="0 0 ${width} ${height}" role="img"
      aria-label="Trades from ${days[0]}, the last filing on ${days.at(-1)}; public as a cluster on ${detected}">
      ${
        detected !== '' &&
        html`<line class="detected" x1=${x(detected)} x2=${x(detected)} y1="4" y2=${height - 20} />`
      }
      ${owners.map((owner, i) => html`<text x="0" y=${i * lane + 18}>${owner.length > 28 ? `${owner.slice(0, 27)}…` : owner}</text>`)}
      ${trades.map((trade) => {
        const y = owners.indexOf(cell(trade, 'owner_name')) * lane + 14;
        const [traded, filed] = [x(cell(trade, 'transaction_date')), x(cell(trade, 'filing_date'))];
        return html`
          <g class=${cell(trade, 'verdict') === 'counted' ? 'counted' : 'other'}>
            <line x1=${traded} x2=${filed} y1=${y} y2=${y} />
            <circle cx=${traded} cy=${y} r="5" />
            <rect x=${filed - 2} y=${y - 5} width="4" height="10" />
          </g>`;
      })}
      <text x=${left} y=${height - 4}>${days[0]}</text>
      <text x=${width - 8} y=${height - 4} text-anchor="end">${days.at(-1)}</text>
    </svg>
    <p class="note">A dot is a trade, a bar its filing; the dashed line is ${detected === '' ? 'missing' : detected}, when the cluster became public.</p>`;
}

function sourcesOf(params: AskedParams): readonly DataSource[] {
  const file = `clusters${params.as_of === undefined ? '' : `-as-of-${params.as_of}`}`;
  const [words, path] = [['insider', 'clusters'], 'insider/clusters'];
  const explained = { words: [...words, '--explain'], path: `${path}/explanations`, params };
  return [
    { name: 'Clusters', words, path, params, file },
    { name: 'Explained', ...explained, file: `${file}-explained` },
  ];
}

/** Returns the name of a cluster in an answer: its company and its first trade. */
function nameOf(row: ServedRow): string {
  return `${cell(row, 'issuer_cik')} ${cell(row, 'date_first')}`;
}
