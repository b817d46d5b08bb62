/** The thread that runs rules in YARA and MQL. It has no database, and may be ended at any time. */
import type { MessagePort } from 'node:worker_threads';
import type { Rules } from '@virustotal/yara-x';
import type { MqlProgram } from '#shared/checks/mql/compile.ts';
import { OWN_LISTS } from '#shared/checks/mql/lists.ts';
import type { MqlInput } from '#shared/checks/mql/model.ts';
import { compileMqlRule, missingWords } from '#shared/checks/mql/rule.ts';
import { mqlRunner } from '#shared/checks/mql/run.ts';
import { MqlError } from '#shared/checks/mql/tokens.ts';
import { compileYara, YaraError, yaraMemory } from '#workers/yara.ts';
import { parseMessage } from '../formats/mail/parse.ts';
import { WHOLE_MAIL } from './engine.ts';
import { scanParts } from './scan-parts.ts';
import { type HeldMail, PROGRESS, type ScanHit, type ScanReply, type ScanRequest } from './scan-protocol.ts';
import { matchYara } from './yara.ts';

/** Hits of a rule in one mail that are reported. */
const MOST_HITS = 4;
/** The thread begins anew once WebAssembly, whose memory never shrinks, has taken so much. */
const MOST_MEMORY = 1024 ** 3;

type Prepared = { kind: 'yara'; rules: Rules } | { kind: 'mql'; program: MqlProgram };
interface Found {
  hits: Omit<ScanHit, 'emailId'>[];
  isFinished: boolean;
}

async function findYara(rules: Rules, raw: Buffer): Promise<Found> {
  const hits = new Map<string, Omit<ScanHit, 'emailId'>>();
  let isFinished = true;
  const unread = () => {
    isFinished = false;
  };
  for await (const part of scanParts(raw, unread)) {
    const matches = matchYara(rules, part);
    if (matches === null) unread();
    for (const { rule, string, offset } of matches ?? []) {
      const where = part.name === '' ? '' : ` of ${part.name}`;
      const what = string === null ? rule : `${rule}: ${string} at byte ${offset}${where}`;
      // A decoded part says more than the same bytes in the mail as a whole.
      if (!hits.has(rule) || hits.get(rule)?.place === WHOLE_MAIL)
        hits.set(rule, { place: part.place, detail: what });
    }
  }
  return { hits: [...hits.values()].slice(0, MOST_HITS), isFinished };
}

export function runScanner(port: MessagePort, shared: SharedArrayBuffer): void {
  const progress = new Int32Array(shared);
  const say = (reply: ScanReply): void => port.postMessage(reply);
  const prepared = new Map<string, Prepared>();
  const runMql = mqlRunner();
  let mails = new Map<number, HeldMail>();
  let inputs = new Map<number, Promise<MqlInput | null>>();
  let ownDomains: ReadonlySet<string> = new Set();

  const inputOf = (id: number, raw: Buffer): Promise<MqlInput | null> => {
    const input = inputs.get(id);
    if (input !== undefined) return input;
    const reading = parseMessage(raw).then((result) =>
      result.ok ? { mail: result.mail, ownDomains } : null,
    );
    inputs.set(id, reading);
    return reading;
  };

  async function findIn(rule: Prepared, id: number, raw: Buffer): Promise<Found> {
    if (rule.kind === 'yara') return findYara(rule.rules, raw);
    const input = await inputOf(id, raw);
    if (input === null) return { hits: [], isFinished: false };
    const { outcome, place } = runMql(rule.program, input);
    return {
      hits: outcome === 'hit' ? [{ place: place ?? WHOLE_MAIL }] : [],
      isFinished: outcome !== 'unfinished',
    };
  }

  function compile({ key, kind, text }: ScanRequest & { type: 'compile' }): string | null {
    if (kind === 'yara') {
      prepared.set(key, { kind, rules: compileYara(text) });
      return null;
    }
    const { program } = compileMqlRule(text, OWN_LISTS);
    prepared.set(key, { kind, program });
    return missingWords(program) || null;
  }

  async function answer(request: ScanRequest): Promise<string | null> {
    switch (request.type) {
      case 'hold':
        mails = new Map(request.mails.map((mail) => [mail.id, mail]));
        inputs = new Map();
        ownDomains = new Set(request.ownDomains);
        return null;
      case 'compile':
        return compile(request);
      case 'forget': {
        const rule = prepared.get(request.key);
        if (rule?.kind === 'yara') rule.rules.free();
        prepared.delete(request.key);
        return null;
      }
      case 'find':
        for (const [index, id] of request.ids.entries()) {
          Atomics.store(progress, PROGRESS, index);
          const mail = mails.get(id);
          const rule = prepared.get(request.key);
          if (mail === undefined || rule === undefined) {
            say({ type: 'unfinished', id });
            continue;
          }
          const { hits, isFinished } = await findIn(rule, id, Buffer.from(mail.raw.buffer));
          for (const hit of hits) say({ type: 'hit', hit: { emailId: id, ...hit } });
          if (!isFinished) say({ type: 'unfinished', id });
        }
        return null;
    }
  }

  let turn: Promise<void> = Promise.resolve();
  port.on('message', (request: ScanRequest) => {
    turn = turn.then(async () => {
      try {
        say({ type: 'done', note: await answer(request) });
      } catch (error) {
        if (error instanceof MqlError)
          say({
            type: 'refused',
            words: `Line ${error.place.line}, column ${error.place.column}: ${error.message}.`,
          });
        else if (error instanceof YaraError) say({ type: 'refused', words: error.message });
        else throw error;
      }
      if (yaraMemory() > MOST_MEMORY) port.close();
    });
  });
}
