import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TlsFiles } from '@lettergate/service'
import { certificateFiles } from './certificate-files.ts'

/** The certificates of the services of one test file. */
export interface StageCertificates {
  /** The paths of a service's certificate, after a call of `of`. */
  filesOf(name: string): TlsFiles
  /** Makes the certificate if it is missing. */
  of(name: string): Promise<TlsFiles>
  remove(): void
}

/** The certificates that the run made for all services, or a separate authority with certificates for these names. */
export async function openCertificates(
  given: string | undefined,
  names: readonly string[],
): Promise<StageCertificates> {
  const directory = given ?? mkdtempSync(join(tmpdir(), 'lettergate-certificates-'))
  const filesOf = (name: string) => certificateFiles(directory, name)

  async function made(wanted: readonly string[]) {
    const missing = wanted.filter((name) => !existsSync(filesOf(name).cert))
    if (missing.length === 0) return
    const { ensureCertificates } = await import('./certificates.ts')
    await ensureCertificates(directory, missing)
  }
  await made(names)
  return {
    filesOf,
    async of(name) {
      await made([name])
      return filesOf(name)
    },
    remove() {
      if (given === undefined) rmSync(directory, { recursive: true, force: true })
    },
  }
}
