import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthority, ensureCertificates } from '../src/certificates.ts'

const root = mkdtempSync(join(tmpdir(), 'lettergate-certificates-test-'))
afterAll(() => rmSync(root, { recursive: true }))
let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(root, 'of-a-stack-'))
})

const read = (path: string) => new X509Certificate(readFileSync(path))
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)

test('each service gets a certificate with its name from one authority, and only the owner can read its key', async () => {
  const files = await ensureCertificates(directory, ['gateway', 'imports'])
  const authority = read(join(directory, 'ca.pem'))
  for (const name of ['gateway', 'imports']) {
    const certificate = read(files[name]!.cert)
    expect(certificate.subjectAltName).toBe(`DNS:${name}`)
    expect(certificate.verify(authority.publicKey)).toBe(true)
    expect(certificate.ca).toBe(false)
    expect(statSync(files[name]!.key).mode & 0o777).toBe(0o600)
  }
  expect(statSync(join(directory, 'ca-key.pem')).mode & 0o777).toBe(0o600)
})

test('existing certificates are kept, missing ones are made', async () => {
  const { gateway } = await ensureCertificates(directory, ['gateway'])
  const before = [readFileSync(gateway!.cert), readFileSync(gateway!.ca)]
  const { imports } = await ensureCertificates(directory, ['gateway', 'imports'])
  expect([readFileSync(gateway!.cert), readFileSync(gateway!.ca)]).toEqual(before)
  expect(read(imports!.cert).verify(read(imports!.ca).publicKey)).toBe(true)
})

test('a certificate that ends soon is replaced, with the same authority', async () => {
  const authority = await createAuthority(directory)
  const { cert, ca } = await authority.issue('gateway', { until: inDays(20) })
  const before = readFileSync(ca)
  await ensureCertificates(directory, ['gateway'])
  expect(read(cert).validToDate.getTime()).toBeGreaterThan(inDays(300).getTime())
  expect(readFileSync(ca)).toEqual(before)
})

test('an authority that ends before its certificates would is replaced, together with its certificates', async () => {
  const authority = await createAuthority(directory, { until: inDays(300) })
  const { cert, ca } = await authority.issue('gateway')
  const before = readFileSync(ca)
  await ensureCertificates(directory, ['gateway'])
  expect(readFileSync(ca)).not.toEqual(before)
  expect(read(cert).verify(read(ca).publicKey)).toBe(true)
})

test('a certificate without its key is replaced', async () => {
  const { gateway, imports } = await ensureCertificates(directory, ['gateway', 'imports'])
  const other = readFileSync(imports!.cert)
  rmSync(imports!.key)
  await ensureCertificates(directory, ['gateway', 'imports'])
  expect(readFileSync(imports!.cert)).not.toEqual(other)
  expect(read(gateway!.cert).checkHost('gateway')).toBe('gateway')
})
