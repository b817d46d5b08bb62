import path from 'node:path';
import { expect, type Page } from '@playwright/test';

/** Opens a folder of mail as evidence by its path, in a host with or without a connection. */
export async function openFolder(page: Page, folder: string): Promise<void> {
  await page.getByRole('button', { name: /^(?:Connection |No connection)/ }).click();
  await page.getByRole('menuitem', { name: /^Open a folder of mail/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Open evidence' });
  await dialog.getByRole('textbox').fill(folder);
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  const name = new RegExp(`^Connection ${path.basename(folder)} `);
  await expect(page.getByRole('button', { name })).toBeVisible();
}
