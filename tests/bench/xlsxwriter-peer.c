/* The same workbook by libxlsxwriter at constant memory: xlsxwriter-peer DATABASE FILE DATES BOOLEANS (column numbers, comma-separated). */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xlsxwriter.h>

enum { MAX_COLUMNS = 256, SHEET_ROWS = 1048576 };

static void mark(const char *list, char kinds[MAX_COLUMNS], char kind) {
  for (const char *at = list; *at != '\0';) {
    char *next;
    long column = strtol(at, &next, 10);
    if (next == at) return;
    if (column >= 0 && column < MAX_COLUMNS) kinds[column] = kind;
    at = *next == ',' ? next + 1 : next;
  }
}

int main(int count, char **words) {
  if (count < 5) return 2;
  char kinds[MAX_COLUMNS] = {0};
  mark(words[3], kinds, 'd');
  mark(words[4], kinds, 'b');
  sqlite3 *db;
  sqlite3_stmt *rows;
  if (sqlite3_open_v2(words[1], &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) return 1;
  if (sqlite3_prepare_v2(db, "SELECT * FROM t", -1, &rows, NULL) != SQLITE_OK) return 1;
  lxw_workbook_options options = {.constant_memory = LXW_TRUE};
  lxw_workbook *book = workbook_new_opt(words[2], &options);
  lxw_format *date = workbook_add_format(book);
  format_set_num_format(date, "yyyy-mm-dd hh:mm:ss");
  lxw_worksheet *sheet = NULL;
  lxw_row_t row = SHEET_ROWS;
  int columns = sqlite3_column_count(rows);
  while (sqlite3_step(rows) == SQLITE_ROW) {
    if (row == SHEET_ROWS) {
      sheet = workbook_add_worksheet(book, NULL);
      for (int column = 0; column < columns; column++)
        worksheet_write_string(sheet, 0, (lxw_col_t)column, sqlite3_column_name(rows, column), NULL);
      row = 1;
    }
    for (int column = 0; column < columns; column++) {
      lxw_col_t at = (lxw_col_t)column;
      int type = sqlite3_column_type(rows, column);
      if (type == SQLITE_NULL) continue;
      if (kinds[column] == 'b')
        worksheet_write_boolean(sheet, row, at, sqlite3_column_int(rows, column), NULL);
      else if (type == SQLITE_TEXT && kinds[column] == 'd') {
        lxw_datetime when = {0};
        const char *text = (const char *)sqlite3_column_text(rows, column);
        if (sscanf(text, "%d-%d-%dT%d:%d:%lf", &when.year, &when.month, &when.day, &when.hour, &when.min, &when.sec) == 6)
          worksheet_write_datetime(sheet, row, at, &when, date);
        else
          worksheet_write_string(sheet, row, at, text, NULL);
      } else if (type == SQLITE_TEXT)
        worksheet_write_string(sheet, row, at, (const char *)sqlite3_column_text(rows, column), NULL);
      else
        worksheet_write_number(sheet, row, at, sqlite3_column_double(rows, column), NULL);
    }
    row++;
  }
  sqlite3_finalize(rows);
  sqlite3_close(db);
  return workbook_close(book) == LXW_NO_ERROR ? 0 : 1;
}
