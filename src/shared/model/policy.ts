/** The fleet policy: an administrator's settings for every Parapet on a machine, and the schema of its file. */
import { z } from 'zod';

export const POLICY_OFF = ['remote-images', 'updates', 'exports-in-clear'] as const;
export type PolicyOff = (typeof POLICY_OFF)[number];

const MEBIBYTE = 1024 * 1024;
const CACHE_BUDGET_MIB = { least: 512, most: 1024 * 1024 } as const;

const policyConnection = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
    .describe('Stays the same while name and address may change: small letters, digits and hyphens.'),
  name: z.string().min(1).max(120).describe('The displayed name.'),
  url: z
    .url({ protocol: /^https$/ })
    .describe('Address of the service, https, without /api/v1 and without a password.'),
  timezone: z.string().min(1).max(100).optional().describe('IANA name of the tenant’s time zone.'),
});
export type PolicyConnection = z.infer<typeof policyConnection>;

export const policyFile = z
  .strictObject({
    $schema: z.string().optional().describe('For editors; not read.'),
    version: z.literal(1).describe('Version of this format.'),
    connections: z
      .array(policyConnection)
      .max(50)
      .default([])
      .describe('Tenants that every profile has. They contain no credential: each analyst enters their own.'),
    authorities: z
      .array(z.string().min(1).max(1000))
      .max(20)
      .default([])
      .describe(
        'Absolute paths of PEM files with certificate authorities to trust for every tenant, in addition to those of the system.',
      ),
    updates: z
      .strictObject({
        on: z
          .boolean()
          .optional()
          .describe('Whether Parapet looks for updates; without it the analyst decides.'),
        channel: z
          .enum(['stable', 'beta'])
          .optional()
          .describe('Which updates are offered; without it the analyst decides.'),
      })
      .default({})
      .describe('Updates of the desktop window. "updates" in "off" takes precedence.'),
    cacheBudgetMiB: z
      .int()
      .min(CACHE_BUDGET_MIB.least)
      .max(CACHE_BUDGET_MIB.most)
      .optional()
      .describe('Largest size of the data kept for offline use; without it the analyst decides.'),
    off: z
      .array(z.enum(POLICY_OFF))
      .default([])
      .describe(
        'remote-images: images of mails are never loaded. updates: Parapet never looks for any. exports-in-clear: files are written only as a zip with a password.',
      ),
  })
  .refine(({ connections }) => new Set(connections.map(({ id }) => id)).size === connections.length, {
    message: 'Two connections have the same id',
    path: ['connections'],
  })
  .describe('Fleet policy of Parapet');
export type PolicyFile = z.output<typeof policyFile>;

/** The policy in force, for display; `problem` is why the file, or a part of it, was refused. */
export const managed = z.object({
  /** Full path of the policy file. */
  file: z.string(),
  problem: z.string().nullable(),
  off: z.array(z.enum(POLICY_OFF)),
  updates: z.object({ on: z.boolean().nullable(), channel: z.enum(['stable', 'beta']).nullable() }),
  cacheBudgetBytes: z.number().nullable(),
  /** Ids of connections that this file defines. */
  connections: z.array(z.string()),
  authorities: z.array(z.string()),
});
export type Managed = z.infer<typeof managed>;

/** The id of a connection that the policy defines. */
export const managedId = (id: string): string => `managed-${id}`;

export const managedOf = (file: string, policy: PolicyFile, problem: string | null): Managed => ({
  file,
  problem,
  off: policy.off,
  updates: {
    // `off` takes precedence over everything else in the file.
    on: policy.off.includes('updates') ? false : (policy.updates.on ?? null),
    channel: policy.updates.channel ?? null,
  },
  cacheBudgetBytes: policy.cacheBudgetMiB === undefined ? null : policy.cacheBudgetMiB * MEBIBYTE,
  connections: policy.connections.map(({ id }) => managedId(id)),
  authorities: policy.authorities,
});

const WHAT: Readonly<Record<PolicyOff, string>> = {
  'remote-images': 'Remote images are off',
  updates: 'Updates are off',
  'exports-in-clear': 'Files without a password are off: only a zip with a password is written',
};

/** Why something is off, in words; screens and refusals use the same text. */
export const offReason = (what: PolicyOff, { file }: Pick<Managed, 'file'>): string =>
  `${WHAT[what]}. Your organisation manages this in ${file}.`;

export const isOff = (state: Managed | null, what: PolicyOff): state is Managed =>
  state?.off.includes(what) === true;

/** Why a value cannot be changed here, in words. */
export const budgetReason = ({ file }: Pick<Managed, 'file'>): string =>
  `The budget is set by your organisation in ${file}.`;
export const connectionReason = ({ file }: Pick<Managed, 'file'>): string =>
  `Your organisation defines this connection in ${file}. Its credential is yours to enter.`;
