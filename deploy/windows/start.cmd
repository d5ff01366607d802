@echo off
rem Double click: sets the studio up in this folder, starts it and opens its page. What stands behind it goes to app.py: start.cmd --port 8000
setlocal DisableDelayedExpansion
title Voice cloning studio
cd /d "%~dp0..\.."
if %errorlevel% neq 0 goto failed
if exist .venv\Scripts\python.exe goto packages

rem Python's launcher before a plain "python", which may be the alias that only opens a shop.
set "PYTHON="
for %%P in ("py -3.13" "py -3.12" "py -3.11" "py -3.14" "python") do if not defined PYTHON call :try %%~P
if defined PYTHON goto environment
uv --version >nul 2>nul
if %errorlevel% neq 0 goto absent
echo [1/3] uv makes an environment in .venv, with a Python of its own where none is here.
uv venv --seed --python 3.13 .venv
if %errorlevel% neq 0 goto failed
goto packages

:environment
echo [1/3] An environment in .venv, by: %PYTHON%
%PYTHON% -m venv .venv
if %errorlevel% neq 0 goto failed

:packages
if not exist .venv\requirements.installed goto install
fc /b requirements.txt .venv\requirements.installed >nul 2>nul
if %errorlevel% equ 0 goto start

:install
echo [2/3] The packages of requirements.txt. What they weigh is said below, before they are fetched. This is done once.
.venv\Scripts\python.exe deploy\setup.py run
if %errorlevel% neq 0 goto failed
copy /y requirements.txt .venv\requirements.installed >nul

:start
echo [3/3] The studio starts, and opens its page in the browser when it answers. Close this window or press Ctrl+C to end it.
.venv\Scripts\python.exe app.py --open %*
if %errorlevel% neq 0 goto failed
exit /b 0

:absent
echo Python 3.11 to 3.14 (64 bits) was not found. Get it with one of these, and start this file again:
echo   winget install Python.Python.3.13
echo   https://www.python.org/downloads/windows/

:failed
echo.
echo The studio did not start, or it ended early. The lines above say why; after mending it, start this file again.
pause
exit /b 1

:try
%* -c "import sys; sys.exit(not ((3, 11) <= sys.version_info[:2] <= (3, 14) and sys.maxsize > 2**32))" >nul 2>nul
if %errorlevel% equ 0 set "PYTHON=%*"
exit /b 0
