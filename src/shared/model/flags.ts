/** Feature flags of a connection: what each is for, and its default. */
import { HASH_FLAGS } from './hashes.ts';

export interface FeatureFlag {
  name: string;
  label: string;
  /** As in resources/feature-flags.json; a test keeps them equal. */
  on: boolean;
}

export const FEATURE_FLAGS: readonly FeatureFlag[] = [
  { name: 'custom_list_operators', label: 'Custom lists in conditions', on: true },
  { name: 'exception_types_extended', label: 'All exception types', on: true },
  { name: HASH_FLAGS.sha256, label: 'SHA-256 in file exceptions', on: true },
  { name: HASH_FLAGS.sha256AntiPhishing, label: 'SHA-256 in anti-phishing exceptions', on: false },
  { name: HASH_FLAGS.sha256Dlp, label: 'SHA-256 in DLP exceptions', on: false },
  { name: HASH_FLAGS.md5Provider, label: 'MD5 in provider exceptions', on: false },
  { name: 'msp_deployment', label: 'MSP deployment', on: false },
  { name: 'proof_of_concept', label: 'Proof of concept', on: false },
];

const DEFAULTS: Readonly<Record<string, boolean>> = Object.fromEntries(
  FEATURE_FLAGS.map(({ name, on }) => [name, on]),
);

/** All flags of this version, with the connection's own settings over the defaults. */
export const flagsOf = (flags: Readonly<Record<string, boolean>>): Readonly<Record<string, boolean>> => ({
  ...DEFAULTS,
  ...flags,
});

/** The modes of a connection that take fields away (section 6), in words. */
export function deploymentModes(ownFlags: Readonly<Record<string, boolean>>): string[] {
  const flags = flagsOf(ownFlags);
  return [
    ...(flags['msp_deployment'] ? ['an MSP deployment'] : []),
    ...(flags['proof_of_concept'] ? ['a proof of concept'] : []),
  ];
}

/** A connection's own flags after one is set; what equals the default is not kept. */
export function withFlag(
  flags: Readonly<Record<string, boolean>>,
  name: string,
  on: boolean,
): Record<string, boolean> {
  const { [name]: _, ...rest } = flags;
  return DEFAULTS[name] === on ? rest : { ...rest, [name]: on };
}
