/** Specification section 7, Exceptions and rescans, and Heat map. */
import { z } from 'zod';
import { exception, scalar } from '../../model/entities.ts';
import { ask, done, read, rowsOf, write } from './declare.ts';

const product = z.object({ product: z.string() });
const searchBody = z.looseObject({
  /** A type of entry, or allow or block. */
  type: z.string().optional(),
  /** Text contained in value or comment. */
  search: z.string().optional(),
  /** The tool whose list it is; omitted: the product's own (exception_search), or every tool (exception_search2). */
  sec_type: z.string().optional(),
  /** ISO 8601; the window defaults to the last six months (section 9). */
  from: z.string().optional(),
  to: z.string().optional(),
  page: z.number().int().nonnegative().optional(),
  size: z.number().int().positive().optional(),
});
const options = z.looseObject({
  options: z.array(
    z.looseObject({
      field: z.string(),
      label: z.string(),
      value: scalar.nullish(),
      matchings: z.array(z.string()).nullish(),
    }),
  ),
});
const created = done.extend({
  /** The outcome for each entity; a failed one created no entry. */
  outcomes: z
    .array(
      z.looseObject({
        entity_id: z.string(),
        sec_type: z.string(),
        success: z.boolean(),
        id: z.string().nullish(),
        error: z.string().nullish(),
      }),
    )
    .nullish(),
});
const typeId = z.object({ product: z.string(), type: z.string(), id: z.string() });

export const exceptions = {
  'exceptions.create': write({
    method: 'POST',
    path: '/sectool_exception',
    /** Which list an entry lands in, and its value, are the service's decision. */
    body: z.object({
      files: z.array(z.object({ entity_type: z.string(), entity_id: z.string(), sec_type: z.string() })),
    }),
    response: created,
    invalidates: ['exceptions', 'scan'],
    summary: 'Creates exceptions of security tools for entities',
  }),
  'exceptions.create-external': write({
    method: 'POST',
    path: '/external_sectool/exception',
    body: z.looseObject({ sec_type: z.string(), exception }),
    response: done.extend({ id: z.string().nullish() }),
    invalidates: ['exceptions', 'scan'],
    summary: 'Creates an exception of an external security tool',
  }),
  'entity.rescan': write({
    method: 'POST',
    path: '/entity/rescan_sec',
    body: z.object({
      src_entity_type: z.string(),
      entity_id: z.string(),
      /** Omitted: every tool that scans the entity. */
      app_names: z.array(z.string()).default([]),
    }),
    response: done,
    invalidates: ['scan', 'email', 'file'],
    summary: 'Asks tools to scan an entity again',
  }),
  'exceptions.search': ask({
    path: '/ap_:product/exception_search',
    params: product,
    body: searchBody,
    response: rowsOf(exception),
    provides: ['exceptions'],
    paging: { page: 20 },
    summary: 'Allow and block list entries, 20 a page',
  }),
  'exceptions.search2': ask({
    path: '/ap_:product/exception_search2',
    params: product,
    body: searchBody,
    /** counts: entries per tool for the same search, regardless of the requested tool. */
    response: rowsOf(exception).extend({
      counts: z.array(z.looseObject({ sec_type: z.string(), count: z.number().int() })).nullish(),
    }),
    provides: ['exceptions'],
    paging: { page: 20 },
    summary: 'Exception search over every tool, with counts per tool',
  }),
  'exceptions.combo-options': ask({
    path: '/ap_:product/combo_options',
    params: product,
    body: z.looseObject({ sec_type: z.string().optional() }),
    response: z.looseObject({
      types: z.array(
        z.looseObject({
          id: z.string(),
          label: z.string(),
          /** allow or block, or null if the entry's payload decides. */
          list: z.string().nullish(),
          fields: z
            .array(
              z.looseObject({
                id: z.string(),
                label: z.string(),
                kind: z.string().nullish(),
                matchings: z.array(z.string()).nullish(),
              }),
            )
            .nullish(),
        }),
      ),
    }),
    provides: ['exceptions'],
    summary: 'Types and matchings that an exception may have',
  }),
  'emails.classification': ask({
    path: '/ap_:product/emails_classification',
    params: product,
    body: z.looseObject({ entity_ids: z.array(z.string()) }),
    response: rowsOf(z.looseObject({ entity_id: z.string(), classification: z.string() })),
    provides: ['email'],
    summary: 'How the anti-phishing tool classifies emails',
  }),
  'exceptions.options': read({
    path: '/ap_:product/exception/options/:type/:id',
    params: typeId,
    response: options,
    provides: ['exceptions'],
    summary: 'Values of an entity for an allow entry',
  }),
  'exceptions.blacklist-options': read({
    path: '/ap_:product/blacklist/options/:type/:id',
    params: typeId,
    response: options,
    provides: ['exceptions'],
    summary: 'Values of an entity for a block entry',
  }),
};

export const heatMap = {
  'logins.heat-map': read({
    path: '/get_cache_query',
    query: z.object({
      module: z.string(),
      /** "unknown": logins whose outcome is not recorded. Requested only when a response has `unknown_rows`. */
      fail: z.union([z.boolean(), z.literal('unknown')]),
      /** From 0; a service without paging returns the newest rows. */
      page: z.number().int().nonnegative().optional(),
      /** `next` of the previous page; the last page is as fast as the first. */
      after: z.string().max(64).optional(),
      /** With any case of its ASCII letters. A service that answers with `next` knows this filter and those of time. */
      user: z.string().max(1_000).optional(),
      /** From this instant, inclusive. */
      since: z.iso.datetime({ offset: true }).optional(),
      /** Up to this instant, exclusive. */
      until: z.iso.datetime({ offset: true }).optional(),
    }),
    response: z.looseObject({
      data: z.string(),
      /** Number of matching rows on all pages. Only with the first page. */
      total_rows: z.number().int().nonnegative().nullish(),
      /** Rows of the module whose outcome is not recorded. Only with the first page. */
      unknown_rows: z.number().int().nonnegative().nullish(),
      /** Start of the next page, or null if this is the last. A service that omits it is asked by page number. */
      next: z.string().nullish(),
      /** The service answers `logins.users`. Only with the first page. */
      finds_users: z.boolean().nullish(),
    }),
    provides: ['logins'],
    onError: 'empty-rows',
    paging: { page: 5000 },
    summary: 'Login events of a SaaS: compressed rows in base64',
  }),
  'logins.users': ask({
    path: '/get_cache_query/users',
    body: z.object({
      module: z.string(),
      /** "unknown": logins whose outcome is not recorded. */
      fail: z.union([z.boolean(), z.literal('unknown')]),
      /** Any of these addresses, in any case. */
      ips: z.array(z.string().max(1_000)).max(100).optional(),
      /** Any of these countries, as the rows write them. */
      countries: z.array(z.string().max(1_000)).max(100).optional(),
      /** ASCII text that the user, address or country contains, in any case. */
      text: z
        .string()
        .max(1_000)
        .regex(/^[\x20-\x7e]+$/)
        .optional(),
    }),
    response: z.looseObject({
      /**
       * Users with a login that matches every given part, or null if there are more than eight, or a login that names
       * no user.
       */
      users: z.array(z.string()).nullable(),
    }),
    provides: ['logins'],
    summary: 'Users with matching login events, if they are few',
  }),
  'logins.places': read({
    path: '/get_cache_query/places',
    query: z.object({
      module: z.string(),
      /** The ninth cell of its row. */
      id: z.number().int().positive(),
      /** Of the row, in any case, and its time: another sign-in may have this id by now. */
      user: z.string().max(1_000).optional(),
      time: z.iso.datetime({ offset: true }).optional(),
    }),
    response: z.looseObject({
      /** The first 100, existing ones first. */
      places: z.array(
        z.looseObject({
          /** Of the log, relative to the evidence. */
          file: z.string(),
          /** Number of its first line, from 1, or null if not recorded. */
          line: z.number().int().positive().nullable(),
          /** Number among the entries of a JSON log, from 1, or null if the log has one on each line. */
          entry: z.number().int().positive().nullable(),
          /** `gone`: the file is no longer there. `unreachable`: it could not be read. */
          absent: z.string().nullable(),
        }),
      ),
      total: z.number().int().nonnegative(),
    }),
    provides: ['logins'],
    summary: 'The places of a login event in the logs of evidence',
  }),
};
