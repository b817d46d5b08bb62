/** The fixed parts of a workbook (ECMA-376): everything but the rows. */
import type { OutColumn } from './protocol.ts';
import { columnName, DATE_STYLE } from './xlsx-rows.ts';

/** Rows of a worksheet (ECMA-376) besides its header: Excel refuses a sheet of more than 1 048 576. */
export const SHEET_DATA_ROWS = 1_048_576 - 1;

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

const attribute = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const WIDTH: Readonly<Record<OutColumn['storage'], number>> = {
  date: 20,
  number: 12,
  boolean: 9,
  json: 32,
  text: 24,
  any: 20,
};
/** In characters; `longest` is that of the first rows. */
const widthOf = ({ storage, label }: OutColumn, longest: number): number => {
  const least = Math.max(8, label.length + 4);
  return Math.min(60, Math.max(least, longest > 0 && storage !== 'date' ? longest + 2 : WIDTH[storage]));
};

/** The XML of a sheet before its rows. */
export function sheetHead(columns: readonly OutColumn[], longest: readonly number[], first: boolean): string {
  const widths = columns
    .map((column, index) => {
      const width = widthOf(column, longest[index] ?? 0);
      return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`;
    })
    .join('');
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  return `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView${first ? ' tabSelected="1"' : ''} workbookViewId="0">${pane}</sheetView></sheetViews><cols>${widths}</cols><sheetData>`;
}

const area = (columns: number, rows: number) => `A1:${columnName(columns - 1)}${rows + 1}`;

/** The XML of a sheet after its rows; `rows` excludes the header. */
export const sheetTail = (columns: number, rows: number): string =>
  `</sheetData><autoFilter ref="${area(columns, rows)}"/></worksheet>`;

const sheetName = (lead: string, index: number): string => `${lead}Results ${index + 1}`;

/**
 * Path and text of each part except the sheets. `rows`: of each sheet, without its header; `lead` is the prefix of
 * the sheet names.
 */
export function workbookParts(
  columns: number,
  rows: readonly number[],
  lead: string,
): { path: string; text: string }[] {
  const sheets = rows.map((_, index) => index + 1);
  const absolute = (count: number) => `$A$1:$${columnName(columns - 1)}$${count + 1}`;
  return [
    {
      path: '[Content_Types].xml',
      text: `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>${sheets.map((n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`).join('')}</Types>`,
    },
    {
      path: '_rels/.rels',
      text: `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    },
    {
      path: 'xl/workbook.xml',
      // Spreadsheets keep a filter under this hidden name.
      text: `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><bookViews><workbookView/></bookViews><sheets>${sheets.map((n) => `<sheet name="${attribute(sheetName(lead, n - 1))}" sheetId="${n}" r:id="rId${n}"/>`).join('')}</sheets><definedNames>${rows.map((count, index) => `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">'${attribute(sheetName(lead, index))}'!${absolute(count)}</definedName>`).join('')}</definedNames></workbook>`,
    },
    {
      path: 'xl/_rels/workbook.xml.rels',
      text: `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${sheets.map((n) => `<Relationship Id="rId${n}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${n}.xml"/>`).join('')}<Relationship Id="rId${sheets.length + 1}" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    },
    {
      path: 'xl/styles.xml',
      text: `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${DATE_STYLE + 1}"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
    },
  ];
}
