"""What decides which replica answers, in HAProxy's words: who asks, else who is to speak. One key, one replica, while it lives.

Of a request the key is its `X-Session-Id`; else the cookie that a browser was given with the page; else the voice, of a body or of a path.
A request without any goes where it is its turn.
"""

__all__ = ["BALANCE", "COOKIE", "FRONTEND_RULES", "PER_BACKEND", "RETRY_ON"]

COOKIE = "studio_affinity"  # no secret and no login: it is worth an answer from the same replica
COOKIE_SECONDS = 30 * 24 * 3600
BODY_SECONDS = 10  # for the first 16 KiB of a body; one that comes later has no key

_KEYED = "{ var(txn.studio_key) -m found }"
_IN_SESSION = "{ var(txn.studio_session) -m found }"
_HAS_COOKIE = f"{{ req.cook({COOKIE}) -m found }}"
_SPEAKER_OF_PATH = "path,regsub(^.*/v1/audio/voices/,),regsub(/.*$,),url_dec,lower"

FRONTEND_RULES = (
    "option forwardfor if-none",  # the studio slows down who guesses keys, by address
    "http-request del-header sec-websocket-extensions",  # speech does not deflate, and each chunk would wait for the attempt
    "acl studio_speaks path_end /v1/audio/speech /v1/audio/speech/batch",
    "acl studio_of_speaker path_sub /v1/audio/voices/",
    "acl studio_shows_page req.hdr(accept) -m sub text/html",
    "http-request set-var(txn.studio_session) req.hdr(x-session-id) if { req.hdr(x-session-id) -m found }",
    f"http-request set-var(txn.studio_session) req.cook({COOKIE}) if !{_IN_SESSION} {_HAS_COOKIE}",
    f"http-request set-var(txn.studio_session) uuid() if METH_GET studio_shows_page !{_IN_SESSION}",
    f"http-request set-var(txn.studio_new) var(txn.studio_session) if METH_GET studio_shows_page !{_HAS_COOKIE}",
    f"http-request set-var(txn.studio_key) var(txn.studio_session) if {_IN_SESSION}",
    f"http-request wait-for-body time {BODY_SECONDS}s if METH_POST studio_speaks !{_KEYED}",
    f"http-request set-var(txn.studio_key) req.body,json_query('$.voice'),lower if METH_POST studio_speaks !{_KEYED}",
    f"http-request set-var(txn.studio_key) {_SPEAKER_OF_PATH} if studio_of_speaker !{_KEYED}",
    # where no byte of an answer came, asking another replica is safe for what only reads and for what only speaks
    "http-request disable-l7-retry if !METH_GET !studio_speaks",
    "http-request disable-l7-retry if { req.hdr(x-studio-keep) -m found }",
    "http-response set-header x-request-id %[res.hdr(x-request-id)] if { res.hdr_cnt(x-request-id) gt 1 }",  # Ray's besides ours
    f'http-response add-header set-cookie "{COOKIE}=%[var(txn.studio_new)]; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Lax"'
    " if { var(txn.studio_new) -m found }",
)

RETRY_ON = "retry-on conn-failure empty-response"

# A replica has at most one and a half times what the average one has: a voice that everybody asks for is spoken by several.
BALANCE = ("balance hash var(txn.studio_key)", "hash-type consistent sdbm avalanche", "hash-balance-factor 150")

# Who has a session stays, however busy the replica is: what a page uploaded a moment ago lies there.
PER_BACKEND = ("stick-table type string len 64 size 100k expire 2h", "stick on var(txn.studio_session)")
