import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { Resolver } from 'node:dns/promises'
import { Packet } from 'dns2'
import { startDns, type Dns } from '../dns/dns.ts'
import { startMailProvider, type LocalMailProvider } from '../mail-provider/mail-provider.ts'

let dns: Dns
let provider: LocalMailProvider
const resolver = new Resolver({ timeout: 2_000, tries: 1 })

beforeAll(async () => {
  dns = await startDns()
  provider = await startMailProvider({ apiKey: 'key', signingKey: 'signing', dns })
  resolver.setServers([dns.address])
})
afterAll(async () => {
  await provider.stop()
  await dns.stop()
})

const txt = async (name: string) => (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
const put = (path: string, body: unknown) =>
  fetch(`${provider.url}/sim/${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

test('a verified domain has exactly the records that its provider requires, and a DMARC policy', async () => {
  const res = await fetch(`${provider.url}/v4/domains/mail.acme.test`, {
    headers: { authorization: `Basic ${btoa('api:key')}` },
  })
  const { sending_dns_records: records } = (await res.json()) as {
    sending_dns_records: { record_type: string; name: string; value: string }[]
  }
  for (const { record_type: type, name, value } of records) {
    expect(type === 'TXT' ? await txt(name) : await resolver.resolveCname(name)).toEqual([value])
  }
  expect(records.map(({ name }) => name)).toEqual([
    'mail.acme.test',
    'k1._domainkey.mail.acme.test',
    'email.mail.acme.test',
  ])
  expect(await txt('_dmarc.mail.acme.test')).toEqual([expect.stringMatching(/^v=DMARC1; p=/)])
  expect(await resolver.resolveMx('mail.acme.test')).toContainEqual(
    expect.objectContaining({ exchange: 'mxa.mailgun.org', priority: 10 }),
  )
})

test('the include of the SPF record leads to networks', async () => {
  expect(await txt('mailgun.org')).toEqual([expect.stringContaining('include:_spf.mailgun.org')])
  expect(await txt('_spf.mailgun.org')).toEqual([expect.stringContaining('ip4:')])
})

test('unknown names do not exist; an existing name without a record of the type has no data', async () => {
  for (const name of ['pending.acme.test', 'k1._domainkey.pending.acme.test', 'nobody.example']) {
    await expect(resolver.resolveTxt(name)).rejects.toMatchObject({ code: 'ENOTFOUND' })
  }
  await expect(resolver.resolveTxt('_domainkey.mail.acme.test')).rejects.toMatchObject({ code: 'ENODATA' })
  await expect(resolver.resolve4('mail.acme.test')).rejects.toMatchObject({ code: 'ENODATA' })
})

test('a zone can be replaced, removed and restored', async () => {
  await put('dns/mail.globex.test', {
    records: [
      { type: 'TXT', name: 'mail.globex.test', value: 'v=spf1 -all' },
      { type: 'TXT', name: 'k1._domainkey', value: 'k=rsa; p=other' },
      { type: 'MX', name: '@', value: '5 mx.globex.test' },
    ],
  })
  expect(await txt('mail.globex.test')).toEqual(['v=spf1 -all'])
  expect(await txt('k1._domainkey.mail.globex.test')).toEqual(['k=rsa; p=other'])
  expect(await resolver.resolveMx('mail.globex.test')).toEqual([
    expect.objectContaining({ exchange: 'mx.globex.test', priority: 5 }),
  ])
  await put('domains/mail.globex.test', { dns: 'missing' })
  await expect(txt('mail.globex.test')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  await put('domains/mail.globex.test', { dns: 'ok', dkim_selector: 's2' })
  expect(await txt('s2._domainkey.mail.globex.test')).toEqual([expect.stringMatching(/^k=rsa; p=/)])
  expect((await put('dns/mail.globex.test', { records: [{ type: 'WKS', name: '@', value: 'x' }] })).status).toBe(400)
})

test('an answer that is too large for UDP is truncated there, and complete over TCP', async () => {
  const records = Array.from({ length: 40 }, (_, number) => ({ type: 'TXT', value: `${number} ${'x'.repeat(200)}` }))
  await put('dns/large.test', { records })
  const query = new Packet()
  query.header.id = 4711
  query.questions.push(new Packet.Question({ name: 'large.test', type: Packet.TYPE.TXT, class: Packet.CLASS.IN }))

  const overUdp = await askUdp(query.toBuffer())
  expect(overUdp.header).toMatchObject({ id: 4711, tc: 1, aa: 1 })
  expect(overUdp.answers).toEqual([])
  expect((await askTcp(query.toBuffer())).answers).toHaveLength(40)
  expect(await txt('large.test')).toHaveLength(40)
})

function askUdp(query: Buffer): Promise<Packet> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4')
    socket.once('error', reject)
    socket.once('message', (message) => {
      socket.close()
      resolve(Packet.parse(message))
    })
    socket.send(query, dns.port, '127.0.0.1')
  })
}

function askTcp(query: Buffer): Promise<Packet> {
  return new Promise((resolve, reject) => {
    const socket = connect(dns.port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.once('error', reject)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.once('end', () => resolve(Packet.parse(Buffer.concat(chunks).subarray(2))))
    const length = Buffer.alloc(2)
    length.writeUInt16BE(query.length)
    socket.end(Buffer.concat([length, query]))
  })
}
