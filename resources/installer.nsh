; Registers parapet:// links: electron-builder's installer only supports file associations.
!macro customInstall
  WriteRegStr SHELL_CONTEXT "Software\Classes\parapet" "" "URL:Parapet"
  WriteRegStr SHELL_CONTEXT "Software\Classes\parapet" "URL Protocol" ""
  WriteRegStr SHELL_CONTEXT "Software\Classes\parapet\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
!macroend
!macro customUnInstall
  DeleteRegKey SHELL_CONTEXT "Software\Classes\parapet"
!macroend
