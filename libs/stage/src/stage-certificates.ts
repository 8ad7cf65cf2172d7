import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TlsFiles } from '@lettergate/service'
import { certificateFiles } from './certificate-files.ts'

/** The certificates of the services of one test file. */
export interface StageCertificates {
  /** Where the certificate of that service is, once `of` has been asked for it. */
  filesOf(name: string): TlsFiles
  /** Makes it when it is not there. */
  of(name: string): Promise<TlsFiles>
  remove(): void
}

/** Those that the run has made for all services, or an authority of this file's own with certificates for these names. */
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
