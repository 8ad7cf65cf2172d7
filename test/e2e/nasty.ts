/** Values that make services of this kind answer 500. */
export const nastyValues: readonly unknown[] = [
  null, true, 0, -0, -1, 2_147_483_648, 9_007_199_254_740_993, 1e308, 'NaN', '', ' ', 'x'.repeat(100_000),
  'nul \u0000 inside', 'lone \ud800 surrogate', '\ufeff', '🏳️‍🌈'.repeat(50), 'e\u0301'.repeat(20), '../../etc/passwd', "'; drop table contacts; --", '{{ first_name }}', '%recipient.email%', '<script>alert(1)</script>', '%00', '%zz',
  [], {}, [[]], [null], { __proto__: null }, { constructor: { prototype: {} } }, ['a', 1, {}],
  '00000000-0000-0000-0000-000000000000', '0198c0de-0000-7000-8000-000000000000', 'urn:uuid:0198c0de-0000-7000-8000-000000000000',
  '0000-01-01T00:00:00Z', '275760-09-13T00:00:00Z', '2035-02-30T10:00:00Z', '2035-01-01T10:00:00+99:99', '2035-01-01 10:00:00Z', '2035-12-31T23:59:60Z', '2035-01-01T10:00:00',
  '"quoted local"@example.com', `${'a'.repeat(320)}@example.com`, 'a@b', 'a@xn--', 'a@例え.テスト', 'a@[127.0.0.1]', 'mailto:a@example.com', 'a@example.com\r\nBcc: b@example.com',
  'javascript:alert(1)', 'http://169.254.169.254/', 'DATABASE_URL', 'MAILPROVIDER_MISSING_KEY',
]

/** Bodies that are no JSON object, or not what they say they are. */
export const nastyBodies: readonly { body: string | Uint8Array; type?: string }[] = [
  { body: '' }, { body: '{' }, { body: 'null' }, { body: '[]' }, { body: '"text"' }, { body: '1e999' }, { body: '{"a":1,"a":2}' }, { body: '[' .repeat(100_000) }, { body: `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}` },
  { body: '{"__proto__": {"admin": true}}' }, { body: '{"email": "\\u0000"}' }, { body: '{"email": "\\ud800"}' }, { body: new Uint8Array([0xff, 0xfe, 0x00]) }, { body: 'a=b', type: 'application/x-www-form-urlencoded' }, { body: '{}', type: 'text/plain' },
  { body: '{}', type: 'application/json; charset=utf-7' }, { body: '--x\r\n', type: 'multipart/form-data' }, { body: '--x\r\n\r\n--x--', type: 'multipart/form-data; boundary=x' }, { body: `{"x":"${'y'.repeat(3_000_000)}"}` },
]

export const nastySegments: readonly string[] = ['%00', '%zz', '%2e%2e%2f', 'undefined', '0', '0198c0de-0000-7000-8000-000000000000', '0198C0DE-0000-7000-8000-000000000000', 'ü', '%E0%80%80', `${'a'.repeat(5_000)}`, "'", '{}']

export const nastyHeaders: readonly Record<string, string>[] = [
  { authorization: '' }, { authorization: 'Bearer' }, { authorization: 'Bearer wallet-session-' }, { authorization: 'Basic YTpi' }, { authorization: `Bearer ${'x'.repeat(8_000)}` },
  { 'idempotency-key': '' }, { 'idempotency-key': 'x'.repeat(201) }, { 'x-correlation-id': 'bad id with spaces' }, { 'x-correlation-id': 'y'.repeat(5_000) }, { cookie: 'session=%00; session=x' }, { 'x-api-key': 'nope', 'x-user-id': 'owner' }, { 'x-api-key': 'dev-service-key' }, { 'content-encoding': 'gzip' }, { 'content-length': '5' }, { expect: 'nonsense' },
]
