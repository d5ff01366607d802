"""Reference audio from http(s) URLs: what is fetched, what never is, and that no answer tells why."""

import gzip
import itertools
import socket
import threading

import httpx
import pytest

from studio.api.door.errors import answer_for
from studio.audio.decode import MOST_UPLOAD_BYTES, decode_clip
from studio.errors import FetchesBusy, RequestInvalid
from studio.reference.public_address import is_of_this_machine, is_public
from studio.reference.remote_audio import MOST_FETCHES, MOST_REDIRECTS, RemoteAudio
from tests.api.door import Gate, data_url, error_of, samples_of, served, wav
from tests.api.reference.recordings_server import HERE, NAME, RecordingsServer, trusting
from tests.stand_ins import patient_http
from tests.stand_ins.fake_engine import heard_pitch, pitch_of

RECORDING = wav(1.5, hz=333)
TEXT = "a sentence that is long enough"
REFUSAL = {
    "error": {
        "message": "The reference audio could not be fetched from a public internet address.",
        "type": "BadRequestError",
        "param": "ref_audio",
        "code": 400,
        "hint": "The URL must lead to the file itself, without a login, on port 80 or 443 of a public host (its name in plain letters), "
        "within 10 s and 3 redirects. Otherwise send the recording as a base64 data URL.",
        "reason_code": "remote_audio_unreachable",
    }
}
PRIVATE_V4 = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.0.1", "168.63.129.16", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
    "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
]  # fmt: skip
PRIVATE_V6 = [
    "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::10.0.0.1", "64:ff9b::7f00:1",
    "64:ff9b:1::1", "100::1", "2001::1", "2001:0:4136:e378:8000:63bf:80ff:fffe", "2001:db8::1", "2002:7f00:1::1", "2002:a00:1::1",
    "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%1", "fec0::1", "ff02::1",
]  # fmt: skip
PUBLIC = ["1.1.1.1", "8.8.8.8", "100.63.255.255", "172.32.0.1", "193.0.0.1", "223.255.255.255", "2606:4700::1111", "64:ff9b::8.8.8.8"]


@pytest.fixture
def server():
    server = RecordingsServer()
    server.answers["/a.wav"] = RECORDING
    yield server
    server.close()


@pytest.fixture
def open_remote_door(open_door):
    """open_remote_door(remote_audio, **settings) -> a door that may fetch."""
    return lambda remote_audio=None, **settings: open_door(remote_audio=remote_audio, allow_remote_audio=True, **settings)


def recorded(answers):
    """A resolver that gives these answers one after the other, the last one again and again, and the list of what it was asked."""
    asked, answers = [], iter(answers)
    last = ()

    def resolve(host: str, port: int) -> tuple[str, ...]:
        nonlocal last
        asked.append((host, port))
        last = next(answers, last)
        return last

    return resolve, asked


# --- what is fetched


def test_a_url_gives_the_voice_of_its_recording(server, open_remote_door):
    door = open_remote_door(server.remote_audio())
    response = door.speak(TEXT, ref_audio=server.url())
    assert (response.status_code, response.headers["x-speaker-cache"]) == (200, "miss")
    assert heard_pitch(*samples_of(response.content)) == pytest.approx(pitch_of(decode_clip(RECORDING).digest), abs=3)


def test_the_same_recording_by_http_data_and_file_url_is_one_cache_entry(server, open_remote_door, tmp_path):
    (tmp_path / "a.wav").write_bytes(RECORDING)
    door = open_remote_door(server.remote_audio(), allowed_local_media=tmp_path)
    urls = [server.url(), data_url(RECORDING), (tmp_path / "a.wav").as_uri()]
    assert [door.speak(ref_audio=url).headers["x-speaker-cache"] for url in urls] == ["miss", "hit", "hit"]
    assert (door.engine.extractions, door.studio.stats().entries) == (1, 1)


def test_a_fetched_recording_has_the_bounds_of_an_upload(server, open_remote_door):
    door = open_remote_door(server.remote_audio())
    server.answers["/short"], server.answers["/text"] = wav(0.5), b"no audio at all"
    codes = [error_of(door.speak(ref_audio=server.url(path)))["reason_code"] for path in ("/short", "/text")]
    assert codes == ["clip_too_short", "audio_undecodable"]


def test_nothing_but_the_name_is_told_to_the_host(server):
    server.redirect("/from?a=b c&d=ü", "/a.wav", ("Set-Cookie", "secret=1"))
    server.answers["/from?a=b%20c&d=%C3%BC"] = server.answers["/from?a=b c&d=ü"]
    assert server.remote_audio().fetch(server.url("/from?a=b c&d=ü#part")) == RECORDING
    assert [path for path, _ in server.asked] == ["/from?a=b%20c&d=%C3%BC", "/a.wav"]
    for _, headers in server.asked:
        assert set(headers) == {"host", "user-agent", "accept", "accept-encoding", "connection"}
        assert (headers["host"], headers["accept-encoding"]) == (f"{NAME}:{server.port}", "identity")


def test_a_proxy_of_the_environment_is_not_used(server, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert server.remote_audio().fetch(server.url()) == RECORDING


def test_the_next_address_is_dialled_where_the_first_is_dead(server):
    assert server.remote_audio(lambda host, port: ("127.0.0.2", HERE), is_public=lambda address: True).fetch(server.url()) == RECORDING


def test_remote_audio_is_off_until_it_is_allowed_and_the_refusal_names_the_setting(server, open_door):
    response = open_door(remote_audio=server.remote_audio()).speak(ref_audio=server.url())
    assert error_of(response)["message"] == "Remote reference audio (http/https) is not enabled on this server."
    assert "STUDIO_ALLOW_REMOTE_AUDIO=1" in error_of(response)["hint"]
    assert server.connections == 0


# --- where it never leads


@pytest.mark.parametrize("address", PRIVATE_V4 + PRIVATE_V6)
def test_a_name_of_a_private_address_is_refused(open_remote_door, address):
    """is_public is asked as well, since an address that cannot be reached from here would be answered in the same words."""
    response = open_remote_door(RemoteAudio(resolve=lambda host, port: (address,))).speak(ref_audio=f"http://{NAME}/a.wav")
    assert (response.status_code, response.json()) == (400, REFUSAL)
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_public(address):
    assert is_public(address)


def test_an_address_of_this_machine_is_not_public_whatever_its_number():
    assert is_of_this_machine(HERE)
    assert not is_of_this_machine("192.0.2.1")
    assert not is_public("no address")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "0.0.0.0"])
def test_this_machine_is_refused_by_whatever_name_and_not_dialled(server, open_remote_door, host):
    """Looked up by the system: none of these needs a name server."""
    door = open_remote_door(RemoteAudio(ports=range(1, 1 << 16)))
    response = door.speak(ref_audio=server.url(host=host))
    assert (response.status_code, response.json(), server.connections) == (400, REFUSAL, 0)


OTHER_SPELLINGS = [
    "localhost.", "127.0.0.1.", f"{NAME}.", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7F.1", "0177.0.0.1", "017700000001", "0",
    "127.0.0.01", "127.0.0.0x1", "0x", "[fe80::1%25lo]", "[::1", "[v1.x]", "127.0.0.%31", "%31%32%37.0.0.1", "local%68ost", f"user@{NAME}",
    f"user:word@{NAME}", f"@{NAME}", f"{NAME}@127.0.0.1", f"{NAME}\\@127.0.0.1", f"127.0.0.1\\.{NAME}", "１２７.0.0.1", "127。0。0。1",
    "ⓛocalhost", "local\thost", "local\u00adhost", "", ".", "..", "-.example", f"{'a' * 64}.example", f"{'a.' * 127}example",
    "\ud800.example", "loca\u212ahost", "a b",
]  # fmt: skip


@pytest.mark.parametrize("host", OTHER_SPELLINGS)
def test_a_host_in_another_spelling_is_refused_alike_and_not_looked_up(server, open_remote_door, host):
    """Were it looked up, the recording would be there."""
    resolve, asked = recorded([(HERE,)])
    response = speak_of(open_remote_door(server.remote_audio(resolve)), f"http://{host}:{server.port}/a.wav")
    assert (response.status_code, response.json(), asked) == (400, REFUSAL, [])


@pytest.mark.parametrize(
    "url",
    ["http:", "http:/", "http://", "http:///a.wav", "http:a.wav", "https://[", f"http://{NAME}:0/", f"http://{NAME}:65536/", f"http://{NAME}:/",
     f"http://{NAME}:8o/", f"http://{NAME}/\x00", f"http://{NAME}/\ud800", f"http://{NAME}/{'a' * 9000}", f"http\u017f://{NAME}/",
     f"http://{NAME}:99999999999999999999/"],
)  # fmt: skip
def test_urls_that_are_none_are_refused_alike_and_not_looked_up(open_remote_door, url):
    resolve, asked = recorded([("8.8.8.8",)])
    door = open_remote_door(RemoteAudio(resolve=resolve))
    response = speak_of(door, url)
    assert (response.status_code, response.json(), asked) == (400, REFUSAL, [])


def speak_of(door, url: str) -> httpx.Response:
    """JSON that may hold half a character, as a hostile client's can."""
    escaped = "".join(rf"\u{ord(letter):04x}" for letter in url)
    body = f'{{"input": "hello", "ref_audio": "{escaped}"}}'
    return door.post("/v1/audio/speech", content=body, headers={"content-type": "application/json"})


@pytest.mark.parametrize("port", [21, 22, 25, 6379, 8080])
def test_only_the_ports_of_the_web_are_asked(port):
    resolve, asked = recorded([("8.8.8.8",)])
    with pytest.raises(RequestInvalid, match="could not be fetched"):
        RemoteAudio(resolve=resolve).fetch(f"http://{NAME}:{port}/a.wav")
    assert not asked


def test_one_private_address_among_public_ones_refuses_them_all(server):
    for addresses in ((HERE, "10.0.0.1"), ("10.0.0.1", HERE)):
        with pytest.raises(RequestInvalid, match="could not be fetched"):
            server.remote_audio(lambda host, port, found=addresses: found).fetch(server.url())
    assert server.connections == 0


def test_a_name_that_changes_its_address_is_looked_up_once_and_what_was_checked_is_dialled(server):
    resolve, asked = recorded([(HERE,), ("10.0.0.1",)])
    remote_audio = server.remote_audio(resolve)
    assert remote_audio.fetch(server.url()) == RECORDING
    assert asked == [(NAME, server.port)]
    with pytest.raises(RequestInvalid, match="could not be fetched"):
        remote_audio.fetch(server.url())
    assert server.connections == 1


# --- redirects


def test_redirects_are_followed_and_each_host_is_looked_up(server):
    server.redirect("/1", "2")
    server.redirect("/2", server.url("/3", "elsewhere.example"))
    server.redirect("/3", f"//{NAME}:{server.port}/a.wav")
    resolve, asked = recorded([(HERE,)])
    assert server.remote_audio(resolve).fetch(server.url("/1")) == RECORDING
    assert [host for host, _ in asked] == [NAME, NAME, "elsewhere.example", NAME]


def test_a_redirect_to_a_private_address_is_not_followed(server, open_remote_door):
    server.redirect("/inside", server.url("/a.wav", "inside.example"))
    resolve, asked = recorded([(HERE,), ("127.0.0.53",)])
    response = open_remote_door(server.remote_audio(resolve)).speak(ref_audio=server.url("/inside"))
    assert (response.status_code, response.json()) == (400, REFUSAL)
    assert ([host for host, _ in asked], server.connections) == ([NAME, "inside.example"], 1)


@pytest.mark.parametrize("location", ["file:///etc/passwd", f"ftp://{NAME}/a.wav", f"http://u@{NAME}/", "http://[", "gopher:x"])
def test_a_redirect_to_another_scheme_or_no_plain_url_is_not_followed(server, open_remote_door, location):
    server.redirect("/out", location)
    response = open_remote_door(server.remote_audio()).speak(ref_audio=server.url("/out"))
    assert (response.status_code, response.json(), server.connections) == (400, REFUSAL, 1)


def test_a_redirect_loop_ends(server, open_remote_door):
    server.redirect("/loop", "/loop")
    response = open_remote_door(server.remote_audio()).speak(ref_audio=server.url("/loop"))
    assert (response.json(), len(server.asked)) == (REFUSAL, 1 + MOST_REDIRECTS)


# --- bounds


def test_an_endless_body_is_cut_while_it_streams(server, open_remote_door):
    server.stream("/endless", itertools.repeat(bytes(1 << 16), 16 * MOST_UPLOAD_BYTES >> 16))
    error = error_of(open_remote_door(server.remote_audio()).speak(ref_audio=server.url("/endless")))
    assert (error["code"], error["reason_code"], error["param"]) == (400, "audio_too_large", "ref_audio")
    server.close()  # waits until the server has noticed
    assert MOST_UPLOAD_BYTES < server.sent_bytes < 3 * MOST_UPLOAD_BYTES  # the rest was on its way, in the buffers of two sockets


def test_a_body_that_declares_too_much_is_not_waited_for(server, open_remote_door):
    server.hold("/huge", MOST_UPLOAD_BYTES + 1)
    error = error_of(open_remote_door(server.remote_audio()).speak(ref_audio=server.url("/huge")))
    assert error["message"] == "File size exceeds maximum limit of 10MB. Got 10485761 bytes."


def test_a_body_that_drips_ends_at_the_deadline_though_every_read_gets_something(server, open_remote_door):
    """The clock goes on by a second at every look; each byte arrives at once."""
    server.stream("/drip", itertools.repeat(b"x", MOST_UPLOAD_BYTES // 64))
    ticks = itertools.count()
    remote_audio = server.remote_audio(clock=lambda: float(next(ticks)))
    response = open_remote_door(remote_audio).speak(ref_audio=server.url("/drip"))
    assert (response.status_code, response.json()) == (400, REFUSAL)
    assert next(ticks) <= 12  # its start, ten seconds, and this


def test_a_host_that_falls_silent_ends_at_the_deadline(server, open_remote_door):
    server.hold("/silent")
    response = open_remote_door(server.remote_audio(most_seconds=0.2)).speak(ref_audio=server.url("/silent"))
    assert (response.status_code, response.json()) == (400, REFUSAL)


def test_a_lookup_without_end_ends_at_the_deadline(open_remote_door):
    over, found = threading.Event(), []

    def resolve(host: str, port: int) -> tuple[str, ...]:
        over.wait(60)
        found.append(host)
        return ()

    response = open_remote_door(RemoteAudio(resolve=resolve, most_seconds=0.1)).speak(ref_audio=f"http://{NAME}/a.wav")
    assert not found
    over.set()
    assert (response.status_code, response.json()) == (400, REFUSAL)


def test_so_many_fetches_at_once_and_no_more():
    gate = Gate()
    remote_audio = RemoteAudio(resolve=lambda host, port: gate() or (), most_seconds=60)

    def fetch() -> None:
        with pytest.raises(RequestInvalid, match="could not be fetched"):
            remote_audio.fetch(f"http://{NAME}/a.wav")

    threads = [threading.Thread(target=fetch) for _ in range(MOST_FETCHES)]
    for thread in threads:
        thread.start()
    for _ in threads:
        gate.wait_for_arrival()
    with pytest.raises(FetchesBusy) as raised:
        remote_audio.fetch(f"http://{NAME}/a.wav")
    answer = answer_for(raised.value)
    assert (answer.status, answer.headers["Retry-After"], answer.param) == (503, "1", "ref_audio")
    gate.open()
    for thread in threads:
        thread.join(60)
    fetch()  # room again


def test_a_slow_fetch_holds_up_nobody_else(server, open_remote_door):
    server.hold("/silent")
    door = open_remote_door(server.remote_audio(most_seconds=60))
    with served(door) as url, patient_http.Client(base_url=url, timeout=30) as client:  # less than the fetch takes
        with pytest.raises(httpx.ReadTimeout):
            asked = {"input": "x", "ref_audio": server.url("/silent")}
            client.post("/v1/audio/speech", json=asked, timeout=httpx.Timeout(30, read=0.2))
        assert client.get("/v1/models").status_code == 200  # the fetch goes on without its client
        assert client.post("/v1/audio/speech", json={"input": "x"}).status_code == 200
        server.over.set()
    assert door.engine.extractions == 0


# --- failures


def test_every_failure_to_fetch_is_told_in_the_same_words(server, open_remote_door):
    with socket.create_server((HERE, 0)) as closed:
        closed_port = closed.getsockname()[1]
    server.status("/teapot", 418)
    server.status("/broken", 500)
    server.status("/nowhere", 302)
    server.status("/part", 206, ("Content-Length", "0"))
    server.stream("/cut", [b"RIFF"], ("Content-Length", "1000"))
    server.answers["/no-http"] = lambda request: request.wfile.write(b"SSH-2.0-OpenSSH_9.6\r\n")
    server.answers["/empty"] = lambda request: None
    door = open_remote_door(server.remote_audio())
    urls = [server.url(path) for path in ("/missing", "/teapot", "/broken", "/nowhere", "/part", "/cut", "/no-http", "/empty")]
    urls += [f"http://{NAME}:{closed_port}/", server.url().replace("http:", "https:")]
    for url in urls:
        response = door.speak(ref_audio=url)
        assert (response.status_code, response.json()) == (400, REFUSAL), url


@pytest.mark.parametrize("failure", [socket.gaierror(-2, "Name or service not known"), UnicodeError("label empty"), None])
def test_a_name_without_address_is_told_in_the_same_words(open_remote_door, failure):
    def resolve(host: str, port: int) -> tuple[str, ...]:
        if failure is not None:
            raise failure
        return ()

    response = open_remote_door(RemoteAudio(resolve=resolve)).speak(ref_audio=f"http://{NAME}/a.wav")
    assert (response.status_code, response.json()) == (400, REFUSAL)


def test_a_compressed_body_is_never_unpacked(server, open_remote_door):
    packed = gzip.compress(RECORDING)
    server.stream("/packed", [packed], ("Content-Encoding", "gzip"), ("Content-Length", str(len(packed))))
    error = error_of(open_remote_door(server.remote_audio()).speak(ref_audio=server.url("/packed")))
    assert (error["code"], error["reason_code"]) == (400, "audio_undecodable")


# --- TLS


@pytest.fixture
def encrypted():
    server = RecordingsServer(encrypted=True)
    server.answers["/a.wav"] = RECORDING
    yield server
    server.close()


def test_the_certificate_must_be_of_the_name_though_the_address_is_dialled(encrypted):
    assert encrypted.remote_audio(tls=trusting()).fetch(encrypted.url()) == RECORDING
    assert encrypted.asked[0][1]["host"] == f"{NAME}:{encrypted.port}"
    with pytest.raises(RequestInvalid, match="could not be fetched"):
        encrypted.remote_audio(tls=trusting()).fetch(encrypted.url(host="elsewhere.example"))


def test_a_certificate_of_nobody_is_refused_like_everything_else(encrypted, open_remote_door):
    response = open_remote_door(encrypted.remote_audio()).speak(ref_audio=encrypted.url())
    assert (response.status_code, response.json(), encrypted.asked) == (400, REFUSAL, [])
