/**
 * Keeps the AWS SDK from telling the users of this command which Node its later versions will need: they have no such
 * package. All other warnings are printed as before. (By a filter, for the SDK's own switch is a variable of the
 * environment, which the command that runs would inherit.)
 */
export function silenceNodeVersionWarning(): void {
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.message.startsWith('NodeVersionSupportWarning:')) return;
    for (const print of printers) print(warning);
  });
}
