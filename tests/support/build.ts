/** Builds the product, so that tests start the current sources. */
interface Built {
  build(options: { quiet: boolean }): Promise<number>;
}

export async function build(): Promise<void> {
  const { build: run } = (await import('../../scripts/build.mjs' as string)) as Built;
  if ((await run({ quiet: true })) !== 0) throw new Error('The build failed');
}
