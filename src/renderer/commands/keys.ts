/**
 * The keys of every screen. Hotkeys, the list of shortcuts, menus, buttons, hints, the palette and the guide's tables
 * take them from here. Pure.
 */
import type { KeySpec } from '#renderer/state/key-spec.ts';
import type { SimilarMode } from '#shared/api/profile-pages.ts';
import type { AppInfo } from '#shared/bridge/operations.ts';
import { dictionary } from '#shared/dictionary.ts';
import { RESPONSES } from '#shared/model/responses.ts';

export type { KeySpec };

/** Chords are separated by blanks. */
type Line = readonly [chords: string, text: string, more?: Pick<KeySpec, 'inInputs' | 'isCommand'>];

function keysOf<Id extends string>(lines: Readonly<Record<Id, Line>>, group?: string) {
  const specs = Object.entries<Line>(lines).map(([id, [chords, text, more]]) => [
    id,
    { keys: chords.split(' '), text, group, ...more },
  ]);
  // The entries are those of `lines`.
  return Object.fromEntries(specs) as Readonly<Record<Id, KeySpec>>;
}

const TYPING = { inInputs: true };
const NAMED = { isCommand: true };

const moves = (noun: string) =>
  ({ next: ['J', `Next ${noun}`], previous: ['K', `Previous ${noun}`] }) satisfies Record<string, Line>;

/** Closes what is open; several may be, and the innermost one takes the key. */
export const CLOSE: KeySpec = { keys: ['Escape'], text: '' };

export const EVERYWHERE = keysOf(
  {
    palette: ['Ctrl+K', 'Search or paste a Message-ID'],
    search: ['/', 'Search on this screen'],
    shortcuts: ['?', 'Keyboard shortcuts'],
    guide: ['F1', 'Guide', TYPING],
    print: ['Ctrl+P', 'Print', { ...TYPING, ...NAMED }],
    newQuery: ['Alt+N', 'New query', TYPING],
    nextTab: ['Ctrl+Tab Alt+PageDown', 'Next tab', TYPING],
    previousTab: ['Ctrl+Shift+Tab Alt+PageUp', 'Previous tab', TYPING],
    forward: ['Alt+ArrowRight', 'Forward', TYPING],
    closeTab: ['Ctrl+W Alt+W', 'Close tab', TYPING],
    nextPanel: ['F6', 'Next panel or newest notification', TYPING],
    previousPanel: ['Shift+F6', 'Previous panel', TYPING],
    reopenTab: ['Ctrl+Shift+T Alt+Shift+T', 'Reopen closed tab', { ...TYPING, ...NAMED }],
    closeOthers: ['Alt+Shift+W', 'Close other tabs', { ...TYPING, ...NAMED }],
    // Many keyboards type \ only with AltGr, which chords cannot contain.
    split: ['Alt+S Ctrl+\\', 'Split view on or off', TYPING],
    // Grids select their rows and fields their text; selecting all text of the window would be useless.
    selectAll: ['Ctrl+A', '', TYPING],
    leave: ['Escape', 'Close or leave field', TYPING],
    tabs: ['Alt+T', 'List of tabs', TYPING],
  },
  'Everywhere',
);

/** The key of a section, whichever other sections exist. */
export const sectionKey = (digit: number, text: string): KeySpec => ({
  keys: [`Alt+${digit}`],
  text,
  group: 'Sections',
  ...TYPING,
});

export const LIBRARY = keysOf({
  ...moves('query'),
  select: ['X', 'Select'],
  selectRange: ['Shift+X', 'Select range'],
  open: ['Enter', 'Open query'],
  preview: ['Space', 'Preview'],
  search: ['/', 'Search queries'],
  create: ['N', 'New query'],
  details: ['F2', 'Name and details'],
  remove: ['Delete', 'Delete'],
});

export const QUERY = keysOf({
  run: ['Ctrl+Enter', 'Run query', TYPING],
  save: ['Ctrl+S', 'Save query', TYPING],
  undo: ['Ctrl+Z', 'Undo'],
  redo: ['Ctrl+Shift+Z Ctrl+Y', 'Redo'],
  addCondition: ['N Alt+C', 'Add condition', TYPING],
  addGroup: ['G Alt+G', 'Add group', TYPING],
  conditions: ['E', 'Show or hide conditions'],
  back: ['Alt+ArrowLeft', '', TYPING],
});

export const CONDITION = keysOf({
  moveUp: ['Alt+ArrowUp', 'Move up'],
  moveDown: ['Alt+ArrowDown', 'Move down'],
  duplicate: ['Ctrl+D', 'Duplicate'],
});

/** Of the rows of results, while no groups are shown instead. */
export const ROWS = keysOf(
  {
    ...moves('row'),
    preview: ['Space', 'Preview row'],
    open: ['Enter', 'Open row'],
    select: ['X', 'Select row'],
    selectRange: ['Shift+X', 'Select range'],
    copy: ['C', 'Copy IOCs, defanged'],
    copyRaw: ['Shift+C', 'Copy IOCs, raw'],
    moveColumn: ['Alt+Shift+ArrowLeft Alt+Shift+ArrowRight', 'Move column (Ctrl Z undoes)'],
    menu: ['M', 'Actions for the value'],
    filterFor: ['F', 'Filter for value'],
    filterOut: ['Shift+F', 'Filter out value'],
    togglePreview: [']', 'Show or hide preview'],
  },
  'Results',
);

export const RESULTS = keysOf(
  {
    search: ['/', 'Search results'],
    facets: ['[', 'Show or hide facets'],
    groups: ['V', 'Show rows or groups'],
    exportRows: ['Shift+E', 'Export'],
    act: ['A', 'Act on the selection or the row'],
    quarantine: ['Q', RESPONSES.quarantine.verb],
    rescan: ['Shift+R', RESPONSES.rescan.verb],
    blockSender: ['Shift+B', 'Block sender'],
    saveAttachments: ['Shift+S', 'Save attachments: the selection or the row', NAMED],
  },
  'Results',
);

export const GROUPS = keysOf(moves('group'), 'Groups');

/** From rows or an email to similar emails. */
export const SIMILAR: Readonly<Record<SimilarMode, KeySpec>> = keysOf(
  {
    subject: ['1', 'Emails with this subject', NAMED],
    sender: ['2', 'Emails from this sender', NAMED],
    sender_domain: ['3', 'Emails from this sender domain', NAMED],
    attachment: ['4', 'Emails with these attachments', NAMED],
    link: ['5', 'Emails that link to these hosts', NAMED],
    client_ip: ['6', 'Emails from this client IP', NAMED],
  },
  'Pivots',
);
export const PIVOTS = keysOf(
  {
    campaign: ['7', 'Campaign of this email', NAMED],
    clicked: ['W', 'Who clicked in these emails', NAMED],
  },
  'Pivots',
);

export const RECORD = keysOf({
  back: ['Alt+ArrowLeft', 'Back in this tab, or to the list', TYPING],
  forward: ['Alt+ArrowRight', 'Forward in this tab', TYPING],
});
export const recordMoves = (noun: string) =>
  keysOf(
    { next: ['J', `Next ${noun} in the results`], previous: ['K', `Previous ${noun} in the results`] },
    'Triage',
  );
export const PARTS = keysOf(
  { previous: ['[', 'Previous part'], next: [']', 'Next part'] },
  'Parts of the profile',
);
export const RESPONSE = keysOf({
  act: ['A', 'Act'],
  quarantine: ['Q', RESPONSES.quarantine.verb],
  report: ['R', RESPONSES.report.verb],
  rescan: ['Shift+R', RESPONSES.rescan.verb],
});

export const EMAIL = keysOf({
  blockSender: ['Shift+B', 'Block sender'],
  copy: ['C', 'Copy IOCs, defanged'],
  copyRaw: ['Shift+C', 'Copy IOCs, raw'],
});
export const EMAIL_SIMILAR = keysOf(
  {
    campaign: ['7', 'Campaign of this email', NAMED],
    clicked: ['W', 'Who clicked'],
    any: ['S', 'Find similar in any way'],
  },
  'Similar emails',
);
export const FILE = keysOf({
  download: ['D', 'Download the matched file'],
  copy: ['C Shift+C', 'Copy hashes'],
});
export const CAMPAIGN = keysOf({
  query: ['S', 'Open its emails as a query'],
  copy: ['C', 'Copy IOCs, defanged'],
  copyRaw: ['Shift+C', 'Copy IOCs, raw'],
});
export const MESSAGE = keysOf({ act: ['A', 'Act on the message'], copy: ['C', 'Copy the text, defanged'] });
export const PERSON = keysOf({
  act: ['A', 'Act'],
  map: ['M', 'Show on the login map'],
  copy: ['C', 'Copy the address'],
});

export const EXCEPTIONS = keysOf(
  {
    ...moves('entry'),
    select: ['X', 'Select the entry'],
    selectRange: ['Shift+X', 'Extend selection'],
    show: ['Enter Space', 'Show details'],
    copy: ['C', 'Copy the value'],
    create: ['N', 'New exception'],
    paste: ['P', 'Paste values'],
    search: ['/', 'Search values and comments'],
  },
  'Exceptions',
);
export const STACK = keysOf(moves('app or tool'), 'Security stack');
export const KEPT = keysOf({
  ...moves('profile'),
  open: ['Enter', 'Open profile'],
  preview: ['Space', 'Preview'],
  search: ['/', 'Search saved profiles'],
});
export const RULES = keysOf(
  {
    ...moves('rule'),
    select: ['X', 'Select the rule'],
    selectRange: ['Shift+X', 'Extend selection'],
    hits: ['Enter', 'Open its hits as a query'],
    create: ['N', 'New rule', NAMED],
    edit: ['F2', 'Edit rule', NAMED],
    enable: ['E', 'Enable or disable', NAMED],
    run: ['R', 'Check all mail now', NAMED],
    importFile: ['I', 'Import rules', NAMED],
    exportFile: ['Shift+E', 'Export rules', NAMED],
    remove: ['Delete', 'Delete rules'],
  },
  'Rules',
);
export const RULE_EDITOR = keysOf(
  {
    save: ['Ctrl+S Ctrl+Enter', 'Save rule', TYPING],
    cancel: ['Escape', 'Leave the editor'],
  },
  'Rules',
);
export const LOGIN_LISTS = keysOf({
  next: ['J', 'Next in the list'],
  previous: ['K', 'Previous in the list'],
});
export const ACTIVITY = keysOf(
  { exportJournal: ['E', 'Export the journal', NAMED], verify: ['V', 'Verify the last export'] },
  'Activity',
);

type Keys = Readonly<Record<string, KeySpec>>;
/** The tables that are active together. A key of a screen takes precedence over the same key of the window. */
export const SCREENS = {
  window: [EVERYWHERE],
  queries: [LIBRARY],
  rows: [QUERY, CONDITION, ROWS, RESULTS, SIMILAR, PIVOTS],
  groups: [QUERY, CONDITION, GROUPS, RESULTS, SIMILAR, PIVOTS],
  email: [RECORD, recordMoves('email'), PARTS, RESPONSE, EMAIL, SIMILAR, EMAIL_SIMILAR],
  file: [RECORD, recordMoves('file'), PARTS, RESPONSE, FILE],
  message: [RECORD, recordMoves('message'), MESSAGE],
  person: [RECORD, recordMoves('user'), PARTS, PERSON],
  exceptions: [EXCEPTIONS],
  stack: [STACK],
  kept: [KEPT],
  rules: [RULES],
  'rule-editor': [RULE_EDITOR],
  'login-map': [LOGIN_LISTS],
  activity: [ACTIVITY],
} satisfies Readonly<Record<string, readonly Keys[]>>;

/** A browser keeps these for its own tabs: the page never receives them, and Ctrl+W would close Parapet. */
const KEPT_BY_BROWSERS: ReadonlySet<string> = new Set([
  'Ctrl+W',
  'Ctrl+Tab',
  'Ctrl+Shift+Tab',
  'Ctrl+Shift+T',
]);

/** The chords of a hotkey that work in this host. */
export const workingKeys = (keys: readonly string[], host: AppInfo['host'] | undefined): readonly string[] =>
  host === 'browser' ? keys.filter((chord) => !KEPT_BY_BROWSERS.has(chord)) : keys;

const ARROWS: Readonly<Record<string, string>> = dictionary({ Left: '←', Right: '→', Up: '↑', Down: '↓' });

/** A chord as on a cap: "Ctrl K", "Esc", "Alt ←". */
export const capOf = (chord: string): string =>
  chord
    .replaceAll('+', ' ')
    .replace('Escape', 'Esc')
    .replace(/Arrow(\w+)/, (arrow, way: string) => ARROWS[way] ?? arrow);

/** The cap of a command: its first chord that works in every host. */
export const cap = ({ keys }: Pick<KeySpec, 'keys'>): string =>
  capOf(workingKeys(keys, 'browser')[0] ?? keys[0] ?? '');

/** A hint of the status bar. */
export const hint = (text: string, ...specs: readonly KeySpec[]) => ({
  keys: specs.map(cap).join(' '),
  text,
});
