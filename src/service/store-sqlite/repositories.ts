/** The repositories of the port over one connection. SQLite answers at once, so each is made of synchronous functions. */

import type { Store } from '../store/store.ts';
import { perform, report } from './actions.ts';
import { appsOf } from './apps.ts';
import { campaignNameOf, campaignProfileOf, campaignsOf } from './campaigns.ts';
import { applyDue, isAnythingDue } from './due.ts';
import { evidenceOf, filePlacesOf, parentsOf } from './email-places.ts';
import {
  attachmentsOf,
  clicksOf,
  conversationOf,
  emailCount,
  emailIdsAfter,
  emailRow,
  findAttachment,
  findEmail,
  linksOf,
  membersOf,
  rawOf,
  recipientsOf,
  sightingsOf,
} from './emails.ts';
import { findClick, findMessage, typeOf } from './entities.ts';
import { changeState, stateOf } from './entity-state.ts';
import { recordedEvents } from './events.ts';
import { reportOf, resolveAbsent } from './evidence/absent.ts';
import { deriveTrust } from './evidence/authentication.ts';
import { ownDomains } from './evidence/own-domains.ts';
import { startReading } from './evidence/reading.ts';
import { addExceptions, rulingOf, searchExceptions } from './exceptions.ts';
import { findFile } from './files.ts';
import { findingLinks, findingsOf, findingWidgets } from './findings.ts';
import { type Ingest, ingestInto } from './ingest.ts';
import { addList, customLists, listValues, ruleChecks } from './lists.ts';
import { loginPage, loginPlaces, loginUsers } from './logins.ts';
import { findGroup, findUser, ownersOf, peopleCount, peopleRange } from './people.ts';
import { addQueries, changeQueries, passwordOf, recordSent, savedQueries } from './queries.ts';
import { domainNamed, shapeOf } from './query/domains.ts';
import { rowCount, rowPage } from './query/rows.ts';
import { conditionMatches } from './query/rule-conditions.ts';
import { performOn } from './query-actions.ts';
import { markFinding } from './recount.ts';
import { beginRescan, rescannable, runningRescans } from './rescans.ts';
import {
  addValues,
  dropValues,
  listedValues,
  mailsWithHits,
  observablesOf,
  queuedMails,
  replaceHits,
} from './rule-hits.ts';
import {
  adoptRules,
  forgetRule,
  hasPendingRule,
  putRule,
  restartRules,
  ruleStates,
  settleRule,
  storedRule,
  storedRules,
} from './rules.ts';
import { pendingOf } from './scheduled.ts';
import { shiftTimes } from './shift-times.ts';
import type { SqliteStore } from './sqlite-store.ts';
import { stackCounts } from './statistics.ts';

/** The functions that a repository is made of: those of its methods, with the store before what they are given. */
type Functions<R> = {
  [Name in keyof R]: R[Name] extends (...args: infer Given) => Promise<infer Answer>
    ? (store: SqliteStore, ...args: Given) => Answer
    : never;
};

const RECORDS = ['emails', 'users', 'groups', 'files', 'messages', 'apps', 'logins', 'exceptions'] as const;

export type Repositories = Omit<Store, 'source' | 'linkKey' | 'noteDamage' | 'isFailure'>;

export function repositories(store: SqliteStore): Repositories {
  const over = <R extends object>(functions: Functions<R>): R =>
    Object.fromEntries(
      Object.entries<(store: SqliteStore, ...args: unknown[]) => unknown>(functions as never).map(
        ([name, run]) => [name, async (...args: unknown[]) => run(store, ...args)],
      ),
    ) as R;
  // Prepares its statements, which most connections never need.
  let ingesting: Ingest | null = null;
  const ingest = Object.fromEntries(
    RECORDS.map((name) => [
      name,
      (_: SqliteStore, records: never[]): void => {
        ingesting ??= ingestInto(store);
        ingesting[name](records);
      },
    ]),
  ) as Functions<Pick<Store['records'], (typeof RECORDS)[number]>>;
  return {
    mails: over<Store['mails']>({
      find: findEmail,
      row: emailRow,
      count: emailCount,
      idsAfter: emailIdsAfter,
      ownDomains,
      conversation: conversationOf,
      recipients: recipientsOf,
      attachments: attachmentsOf,
      members: membersOf,
      links: linksOf,
      clicks: clicksOf,
      click: findClick,
      attachment: findAttachment,
      sightings: sightingsOf,
      raw: rawOf,
      places: filePlacesOf,
      parents: parentsOf,
      evidence: evidenceOf,
    }),
    people: over<Store['people']>({
      user: findUser,
      group: findGroup,
      owners: ownersOf,
      count: peopleCount,
      range: peopleRange,
    }),
    entities: over<Store['entities']>({
      typeOf,
      message: findMessage,
      state: stateOf,
      identify: (_, id, identifier) => changeState(store, id, { identifier }),
      events: recordedEvents,
      pending: pendingOf,
      rescans: runningRescans,
    }),
    files: over<Store['files']>({ find: findFile }),
    exceptions: over<Store['exceptions']>({
      search: searchExceptions,
      add: addExceptions,
      ruling: rulingOf,
    }),
    queries: over<Store['queries']>({
      list: (_, filter, now) => savedQueries(store, now).list(filter),
      get: (_, id, now) => savedQueries(store, now).get(id),
      names: () => savedQueries(store).names(),
      add: addQueries,
      change: changeQueries,
      remove: (_, id) => savedQueries(store).remove(id),
      password: passwordOf,
      sent: recordSent,
    }),
    logins: over<Store['logins']>({ page: loginPage, users: loginUsers, places: loginPlaces }),
    stack: over<Store['stack']>({ apps: appsOf, counts: stackCounts }),
    actions: over<Store['actions']>({
      perform,
      performOn,
      report,
      rescannable,
      rescan: beginRescan,
      isAnyDue: isAnythingDue,
      applyDue,
    }),
    campaigns: over<Store['campaigns']>({
      first: campaignsOf,
      profile: campaignProfileOf,
      name: campaignNameOf,
    }),
    rules: over<Store['rules']>({
      all: storedRules,
      find: storedRule,
      isAnyPending: hasPendingRule,
      adopt: adoptRules,
      put: putRule,
      settle: settleRule,
      restart: restartRules,
      forget: forgetRule,
      queued: queuedMails,
      mailsWithHits,
      replaceHits,
      dropValues,
      addValues,
      listed: listedValues,
      observables: observablesOf,
      matches: conditionMatches,
      states: ruleStates,
      mark: markFinding,
    }),
    findings: over<Store['findings']>({
      widgets: findingWidgets,
      list: findingsOf,
      links: (_, ids) => findingLinks(ids),
    }),
    lists: over<Store['lists']>({ all: customLists, values: listValues, add: addList, rules: ruleChecks }),
    records: over<Store['records']>({
      ...ingest,
      complete: () => store.buildIndexes(),
      shift: shiftTimes,
    }),
    settings: over<Store['settings']>({
      get: (_, key) => store.meta(key),
      set: (_, key, value) => store.setMeta(key, value),
    }),
    evidence: over<Store['evidence']>({
      reading: startReading,
      trust: deriveTrust,
      report: reportOf,
      resolve: resolveAbsent,
    }),
    rows: {
      shape: (name, copies) => {
        const domain = domainNamed(name, copies, store.source);
        return domain && shapeOf(domain);
      },
      page: async (query) => rowPage(store, query),
      count: async (condition) => rowCount(store, condition),
    },
  };
}
