import { execFile } from 'node:child_process'

/** The folder of the project. */
export const root = new URL('../..', import.meta.url).pathname

/** Runs `make verify-consent` with the fingerprint that the console shows. The status is 0 only for an intact file. */
export const verifyConsent = (file: string, fingerprint: string): Promise<{ status: number; output: string }> =>
  new Promise((resolve) => {
    const command = ['--no-print-directory', '-s', 'verify-consent', `FILE=${file}`, `KEY_FINGERPRINT=${fingerprint}`]
    execFile('make', command, { cwd: root }, (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}` }),
    )
  })
