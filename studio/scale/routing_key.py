"""Routing key: decides which replica answers, in HAProxy's words. It is the client, or else the speaker.

A key keeps its replica while that lives.

Of a request the key is its `X-Session-Id`; else the cookie that a browser was given with the page; else the voice, of a body or of a path.
A request without any goes where it is its turn.
"""

__all__ = ["BALANCE", "COOKIE", "ERROR_LIMIT", "FRONTEND_RULES", "RETRIES", "TABLES"]

COOKIE = "studio_affinity"  # no secret, no login, and gone with the browser's session: it is worth an answer from the same replica
MOST_AT_HOME = 8  # at a time, by whoever; those who ask for the same voice beyond them spread over all replicas
HEAD_SECONDS = 10  # for the head of a request, as a studio alone gives; HAProxy would wait for an hour
BODY_SECONDS = 30  # for the first 16 KiB of a body whose key is wanted; what comes later is 408

_KEYED = "{ var(txn.studio_key) -m found }"
_IN_SESSION = "{ var(txn.studio_session) -m found }"
_HAS_COOKIE = f"{{ req.cook({COOKIE}) -m found }}"
_SPEAKER_OF_PATH = "path,regsub(^.*/v1/audio/voices/,),regsub(/.*$,),url_dec,lower"

FRONTEND_RULES = (
    f"timeout http-request {HEAD_SECONDS}s",
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
    f"http-request track-sc0 var(txn.studio_key) table studio_asked if METH_POST studio_speaks {_KEYED} !{_IN_SESSION}",
    f"http-request set-var-fmt(txn.studio_key) %[var(txn.studio_key)]:%[rand(64)] if {{ sc_conn_cur(0,studio_asked) gt {MOST_AT_HOME} }}",
    # where no byte of an answer came, asking another replica is safe for what only reads and for what only speaks
    "http-request disable-l7-retry if !METH_GET !studio_speaks",
    "http-request disable-l7-retry if { req.hdr(x-studio-keep) -m found }",
    "http-response set-header x-request-id %[res.hdr(x-request-id)] if { res.hdr_cnt(x-request-id) gt 1 }",  # Ray's besides ours
    f'http-response add-header set-cookie "{COOKIE}=%[var(txn.studio_new)]; Path=/; HttpOnly; SameSite=Lax"'
    " if { var(txn.studio_new) -m found }",
)

# Connections to replicas are not used again: of one that was, HAProxy neither repeats a request nor says that it failed. One refusal is
# enough to leave a replica out until it answers again, since a key leads to the same one otherwise, attempt by attempt.
RETRIES = ("retry-on conn-failure empty-response", "retries 5", "option http-server-close")
ERROR_LIMIT = "error-limit 1"

# By the ring of keys and servers, so that a replica that comes or goes moves no keys but its own; in turn where there is no key.
BALANCE = ("balance hash var(txn.studio_key)", "hash-type consistent sdbm avalanche")

TABLES = """backend studio_asked
    stick-table type string len 64 size 100k expire 1m store conn_cur
"""
