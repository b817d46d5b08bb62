/** Whether a sign-in failed, in whatever words a log says so. */
import { eventIn, eventOf, isAnsweredCall, isInterruption, isOther, type Values } from './vendors.ts';

/** A cell as text: `="007"` is how a CSV file keeps a spreadsheet from reading it as a number. */
export const cellText = (value: string): string => /^="(.*)"$/s.exec(value.trim())?.[1] ?? value.trim();

export function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? cellText(value) : '';
  return text === '' || text === '-' ? null : text.slice(0, 320);
}

/** Columns in which a number is an error code, or yes means failure. */
const OF_FAILURE = /error|resulttype|fail|denied|reject|block|refus/;
/** Columns in which yes, or 1, means success. */
const OF_SUCCESS = /success|succeed|granted|allowed/;
const NO_ERROR = /^(?:0+|0x0+|none|null|(?:login )?no ?error|s_ok)$/;
const SILENT =
  /^(?:unknown|undefined|n\/?a|nan|nil|[<([]null[>)\]]|not (?:known|applicable|set|available)|other)$/;
const NEGATED = /\b(?:not|no|never|without)\b/;
const NO_SUCCESS =
  /\b(?:not|no|never|without)\b.*(?:success|succe|grant|allow|permit|accept|authori[sz]ed|authenticated)/;
/** Words of failure anywhere in an outcome, since logs combine them in many ways. */
const FAILURE =
  /fail|den(?:y|ied)|block|lock(?:ed)? ?out|is locked|^locked$|reject|refus|invalid|incorrect|wrong|bad ?password|unauthori[sz]ed|forbidden|error|expired|interrupt|unsuccess|disabled|timed? ?out|abort|cancel|fraud/;
const SUCCESS =
  /^(?:ok|pass(?:ed)?|success(?:ful(?:ly)?)?|succeeded|allow(?:ed)?|granted|accepted|permit(?:ted)?|authenticated|(?:log[io]n|log ?in|sign ?in|logged in|signed in|authentication|access)(?: was)?(?: ok| success(?:ful(?:ly)?)?| succeeded| granted| allowed| accepted)?|credentials ok)$/;

/** A sign-in that was stopped for a further step and neither failed nor succeeded. */
export const INTERRUPTED = 'interrupted';
type Outcome = boolean | null | typeof INTERRUPTED;

/** Whether it failed, or null if no known word says so. `column` is a normalised name. */
function failedOf(value: unknown, column: string): Outcome {
  const isFailure = OF_FAILURE.test(column) && !OF_SUCCESS.test(column);
  // For LOCKED_OUT and AccessDenied, whose parts are words.
  const text =
    typeof value === 'boolean'
      ? String(value)
      : textOf(value)
          ?.replace(/([a-z]{2})([A-Z])/g, '$1 $2')
          // Tools that know no missing integers write them as 0.0.
          .replace(/^(\d+)\.0+$/, '$1')
          .toLowerCase()
          .replace(/[_\s]+/g, ' ');
  if (text === undefined || SILENT.test(text)) return null;
  if (/^interrupt(?:ed)?$/.test(text) || isInterruption(column, text)) return INTERRUPTED;
  if (/^(?:true|yes)$/.test(text)) return isFailure;
  if (/^(?:false|no)$/.test(text)) return !isFailure;
  if (isFailure) return !(NO_ERROR.test(text) || SUCCESS.test(text));
  if (/^\d+$/.test(text)) {
    if (OF_SUCCESS.test(column)) return text === '1' ? false : text === '0' ? true : null;
    return /^40[13]$/.test(text) ? true : null;
  }
  // Windows status codes: errors have the top bit set.
  if (/^0x[\da-f]{1,8}$/.test(text)) {
    const code = Number(text);
    return code === 0 ? false : code >= 0x8000_0000 ? true : null;
  }
  if (text !== 'none' && text !== 'null' && NO_ERROR.test(text)) return false;
  if (NEGATED.test(text)) return NO_SUCCESS.test(text) ? true : null;
  return FAILURE.test(text) ? true : SUCCESS.test(text) ? false : null;
}

/** Whether it failed, as one of `columns` says, or null if none does; undefined if it is no sign-in. */
export function outcomeOf(values: Values, columns: readonly string[]): Outcome | undefined {
  const event = eventIn(values);
  const eventOutcome = event === null ? null : eventOf(event);
  if (eventOutcome === undefined || isOther(values)) return undefined;
  // The first column with a known outcome: an empty or vague one does not hide later ones.
  let outcome: Outcome = null;
  for (const name of columns) outcome ??= values.has(name) ? failedOf(values.get(name), name) : null;
  // The audit log has interruptions as failed or as successful.
  if (outcome === INTERRUPTED) return outcome;
  // Entra writes “Success” beside UserLoginFailed; beside UserLoggedIn, a failure counts.
  if (eventOutcome === false && outcome === true) return true;
  return eventOutcome ?? outcome ?? (isAnsweredCall(values) ? false : null);
}
