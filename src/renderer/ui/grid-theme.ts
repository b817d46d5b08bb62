import {
  CellStyleModule,
  ClientSideRowModelModule,
  ColumnApiModule,
  ColumnAutoSizeModule,
  EventApiModule,
  InfiniteRowModelModule,
  type Module,
  ModuleRegistry,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  RowStyleModule,
  ScrollApiModule,
  TooltipModule,
  themeQuartz,
} from 'ag-grid-community';

const MODULES: Module[] = [
  CellStyleModule,
  ClientSideRowModelModule,
  ColumnApiModule,
  ColumnAutoSizeModule,
  EventApiModule,
  InfiniteRowModelModule,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  RowStyleModule,
  ScrollApiModule,
  TooltipModule,
];

// At import, so that no grid can be made before; the registry is global to the library.
ModuleRegistry.registerModules(MODULES);

/** design.md, Theming. */
export const gridTheme = themeQuartz.withParams({
  fontFamily: 'var(--font)',
  fontSize: 13,
  headerFontSize: 11,
  headerFontWeight: 500,
  spacing: 4,
  rowHeight: 28,
  headerHeight: 28,
  cellHorizontalPadding: 8,
  backgroundColor: 'var(--bg2)',
  foregroundColor: 'var(--t1)',
  headerBackgroundColor: 'var(--sunk)',
  headerTextColor: 'var(--t2)',
  borderColor: 'var(--line)',
  accentColor: 'var(--acc)',
  columnBorder: false,
  rowHoverColor: 'var(--hover)',
  selectedRowBackgroundColor: 'var(--sel)',
  browserColorScheme: 'inherit',
  wrapperBorder: false,
  wrapperBorderRadius: 0,
  iconSize: 12,
  headerColumnResizeHandleColor: 'var(--line2)',
  headerColumnResizeHandleHeight: '50%',
});
