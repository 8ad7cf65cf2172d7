// The decorators of @peculiar/x509 need this polyfill first.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { X509Certificate, createPrivateKey, createPublicKey, randomBytes, webcrypto, type KeyObject } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TlsFiles } from '@lettergate/service'
import { certificateFiles } from './certificate-files.ts'

export interface CertificateOptions {
  /** default: now */
  from?: Date
  /** default: a year after `from` */
  until?: Date
  /** the alternative names, each a DNS name; default: the name */
  names?: readonly string[]
}

/** A certificate authority for the services of one stack or one test. */
export interface Authority {
  /** Writes the certificate and key of a service, and returns their paths and that of the authority's certificate. */
  issue(name: string, options?: CertificateOptions): Promise<TlsFiles>
}

const curve = { name: 'ECDSA', namedCurve: 'P-256' } as const
const signing = { name: 'ECDSA', hash: 'SHA-256' } as const
const dayMs = 86_400_000
const yearMs = 365 * dayMs
/** A certificate that ends within this time is replaced. */
const renewedBeforeMs = 60 * dayMs

/** Replaces a file atomically; only its owner can read a key. */
function put(path: string, content: string, mode: number): void {
  const written = `${path}.${randomBytes(8).toString('hex')}.new`
  writeFileSync(written, content, { mode })
  chmodSync(written, mode)
  renameSync(written, path)
}

/** The validity of a certificate. It starts a minute ago by default; all processes on this machine use one clock. */
const spanOf = ({
  from = new Date(Date.now() - 60_000),
  until = new Date(from.getTime() + yearMs),
}: CertificateOptions) => ({
  notBefore: from,
  notAfter: until,
  serialNumber: randomBytes(16).toString('hex'),
})

async function newKeys(): Promise<{ keys: webcrypto.CryptoKeyPair; pem: string }> {
  const keys = await webcrypto.subtle.generateKey(curve, true, ['sign', 'verify'])
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  return { keys, pem: createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }).export(asPem).toString() }
}
const asPem = { type: 'pkcs8', format: 'pem' } as const

/** Makes an authority, with its key, in this directory; replaces an existing one. */
export async function createAuthority(directory: string, options: CertificateOptions = {}): Promise<Authority> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const { keys, pem } = await newKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Lettergate services',
    keys,
    signingAlgorithm: signing,
    ...spanOf({ until: new Date(Date.now() + 10 * yearMs), ...options }),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  put(join(directory, 'ca-key.pem'), pem, 0o600)
  put(join(directory, 'ca.pem'), certificate.toString('pem'), 0o644)
  return authorityOf(directory, certificate, keys.privateKey)
}

function authorityOf(directory: string, authority: x509.X509Certificate, authorityKey: webcrypto.CryptoKey): Authority {
  return {
    async issue(name, options = {}) {
      const { keys, pem } = await newKeys()
      const certificate = await x509.X509CertificateGenerator.create({
        subject: `CN=${name}`,
        issuer: authority.subject,
        publicKey: keys.publicKey,
        signingKey: authorityKey,
        signingAlgorithm: signing,
        ...spanOf(options),
        extensions: [
          new x509.BasicConstraintsExtension(false, undefined, true),
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
          new x509.SubjectAlternativeNameExtension(
            (options.names ?? [name]).map((value) => ({ type: 'dns' as const, value })),
          ),
          await x509.AuthorityKeyIdentifierExtension.create(authority.publicKey),
        ],
      })
      const files = certificateFiles(directory, name)
      put(files.key, pem, 0o600)
      put(files.cert, certificate.toString('pem'), 0o644)
      return files
    },
  }
}

/** Keeps certificates that are valid for long enough, and makes those that are missing, end soon or belong to another authority. */
export async function ensureCertificates(
  directory: string,
  names: readonly string[],
): Promise<Record<string, TlsFiles>> {
  const authority = (await readAuthority(directory)) ?? (await createAuthority(directory))
  const files: Record<string, TlsFiles> = {}
  for (const name of names) {
    const known = certificateFiles(directory, name)
    files[name] = isGood(known) ? known : await authority.issue(name)
  }
  return files
}

async function readAuthority(directory: string): Promise<Authority | undefined> {
  const [path, keyPath] = [join(directory, 'ca.pem'), join(directory, 'ca-key.pem')]
  if (!existsSync(path) || !existsSync(keyPath)) return undefined
  const [pem, key] = [readFileSync(path, 'utf8'), createPrivateKey(readFileSync(keyPath))]
  // The authority must end after the certificates that it signs.
  if (!fits(pem, key) || endsWithin(pem, yearMs + renewedBeforeMs)) return undefined
  const pkcs8 = key.export({ type: 'pkcs8', format: 'der' })
  const signingKey = await webcrypto.subtle.importKey('pkcs8', new Uint8Array(pkcs8), curve, false, ['sign'])
  return authorityOf(directory, new x509.X509Certificate(pem), signingKey)
}

function isGood({ ca, cert, key }: TlsFiles): boolean {
  if (!existsSync(cert) || !existsSync(key)) return false
  const [pem, authority] = [readFileSync(cert, 'utf8'), new X509Certificate(readFileSync(ca))]
  return (
    fits(pem, createPrivateKey(readFileSync(key))) &&
    new X509Certificate(pem).verify(authority.publicKey) &&
    !endsWithin(pem, renewedBeforeMs)
  )
}

const fits = (pem: string, key: KeyObject) => createPublicKey(key).equals(new X509Certificate(pem).publicKey)
const endsWithin = (pem: string, ms: number) => new X509Certificate(pem).validToDate.getTime() < Date.now() + ms
