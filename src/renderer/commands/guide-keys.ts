/** The tables of keys in docs/guide/triage.md, in its order; `npm run docs:api` writes them there. Pure. */
import {
  cap,
  EMAIL,
  EMAIL_SIMILAR,
  EVERYWHERE,
  type KeySpec,
  PARTS,
  PIVOTS,
  RECORD,
  RESPONSE,
  RESULTS,
  ROWS,
  recordMoves,
  SIMILAR,
  sectionKey,
  workingKeys,
} from './keys.ts';

type Row = readonly [does: string, ...specs: KeySpec[]];

/** The grid handles these itself. */
const GRID_ENDS = ['Ctrl+Home', 'Ctrl+End'].map((chord) => ({ keys: [chord], text: '' }));
const EMAILS = recordMoves('email');

const RESULT_ROWS: readonly Row[] = [
  ['next and previous row', ROWS.next, ROWS.previous],
  ['first and last row', ...GRID_ENDS],
  ['show or hide the preview of the row', ROWS.preview],
  ['open the row', ROWS.open],
  ['select the row, select up to the row', ROWS.select, ROWS.selectRange],
  ['filter for the value, filter it out', ROWS.filterFor, ROWS.filterOut],
  ['actions for the selection', RESULTS.act],
  ['quarantine, scan again, block the sender', RESULTS.quarantine, RESULTS.rescan, RESULTS.blockSender],
  ['who clicked', PIVOTS.clicked],
  ['similar emails', ...Object.values(SIMILAR)],
  ['rows, or groups and charts', RESULTS.groups],
  ['copy indicators, defanged or raw', ROWS.copy, ROWS.copyRaw],
  ['back to the grid', EVERYWHERE.leave],
];

const EMAIL_ROWS: readonly Row[] = [
  ['next and previous email of the results', EMAILS.next, EMAILS.previous],
  ['the first action the email allows', RESPONSE.act],
  ['report a wrong verdict', RESPONSE.report],
  ['previous and next part', PARTS.previous, PARTS.next],
  ['find similar emails', EMAIL_SIMILAR.any],
  ['who clicked', EMAIL_SIMILAR.clicked],
  ["copy the email's indicators, defanged or raw", EMAIL.copy, EMAIL.copyRaw],
  [
    'back to the previous email, then to the results or to what a query was opened from; forward again',
    RECORD.back,
    RECORD.forward,
  ],
];

const SECTIONS = [
  'Home',
  'queries',
  'profiles',
  'stack',
  'exceptions',
  'login map',
  'activity',
  'settings',
  'rules (mail evidence)',
];

const WINDOW_ROWS: readonly Row[] = [
  ['go to anything', EVERYWHERE.palette],
  ['search on this screen', EVERYWHERE.search],
  [`sections: ${SECTIONS.join(', ')}`, ...SECTIONS.map((name, index) => sectionKey(index + 1, name))],
  ['new query', EVERYWHERE.newQuery],
  ['next and previous tab', EVERYWHERE.nextTab, EVERYWHERE.previousTab],
  ['close the tab, open it again', EVERYWHERE.closeTab, EVERYWHERE.reopenTab],
  ['all open tabs', EVERYWHERE.tabs],
  ['split view on or off: two tabs side by side', EVERYWHERE.split],
  ['next panel, or the newest notification', EVERYWHERE.nextPanel],
  ['this guide', EVERYWHERE.guide],
];

const code = (keys: string) => `\`${keys}\``;

function lineOf([does, ...specs]: Row): string {
  const caps = specs.map((spec) => code(cap(spec)));
  const shown = caps.length > 4 ? `${caps[0]} to ${caps.at(-1)}` : caps.join(', ');
  const desktop = specs.flatMap(({ keys }) =>
    keys.filter((key) => !workingKeys(keys, 'browser').includes(key)),
  );
  const also = desktop.map((chord) => code(cap({ keys: [chord] }))).join(', ');
  return `| ${shown} | ${does}${also === '' ? '' : `; in the desktop window also ${also}`} |`;
}

const HEAD = '| Key | Does |\n|---|---|\n';
const TABLE = /\| Key \| Does \|\n\|---\|---\|\n(?:\|.*\n)*/g;

/** The page with its tables of keys as they are now. */
export function withKeyTables(page: string): string {
  const tables = [RESULT_ROWS, EMAIL_ROWS, WINDOW_ROWS];
  let next = 0;
  return page.replace(TABLE, (table) => {
    const rows = tables[next++];
    return rows === undefined ? table : `${HEAD}${rows.map((row) => `${lineOf(row)}\n`).join('')}`;
  });
}
