"""Files that the page gives out: kept speech, bundles, encoded sound, listening tests. They are routes of its app, behind SignIn.

Nothing here lies in a folder of Gradio's: a file is made for the request, says that nobody may store it, and no other site may embed it.
"""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from studio.audio.flac import wav_of
from studio.audio.spoken_sounds import SpokenSounds
from studio.library.bundle import file_name_of
from studio.service import Studio
from studio.ui.clips.encoded import ENCODED, SOUND_PATH, encoded_sound
from studio.ui.downloads.guarded_files import GUARDED, answered_file
from studio.ui.listening_tests.listening_files import listening_file_routes
from studio.web.access import workspace_of

__all__ = ["file_routes"]


def file_routes(studio: Studio, sounds: SpokenSounds) -> list[Route]:
    """GET /studio/history/{id} and /studio/spoken/{id} are WAVs, GET /studio/bundles/{name}?prompts=0|1 a download.

    POST /studio/encoded?format=flac|mp3|opus&rate=HZ takes samples and answers with a file of them. All work is done on threads.
    """

    def kept_speech(request: Request) -> Response:
        visitor = studio.within(workspace_of(request.scope))
        return answered_file(lambda: _kept(visitor, request.path_params["entry_id"]))

    def bundle(request: Request) -> Response:
        with_prompts = request.query_params.get("prompts") != "0"
        visitor = studio.within(workspace_of(request.scope))
        return answered_file(lambda: _download(visitor, request.path_params["name"], with_prompts))

    def spoken(request: Request) -> Response:
        return answered_file(lambda: Response(sounds.get(request.path_params["sound_id"]).data, media_type="audio/wav", headers=GUARDED))

    async def encoded(request: Request) -> Response:
        pcm, query = await request.body(), request.query_params
        rate, format = query.get("rate", ""), query.get("format", "")

        def answer() -> Response:
            return Response(encoded_sound(pcm, rate, format), media_type=ENCODED.get(format), headers=GUARDED)

        return await run_in_threadpool(answered_file, answer)

    return [
        Route(SOUND_PATH, encoded, methods=["POST"]),
        Route("/studio/history/{entry_id}", kept_speech),
        Route("/studio/spoken/{sound_id}", spoken),
        Route("/studio/bundles/{name}", bundle),
        *listening_file_routes(studio),
    ]


def _kept(studio: Studio, entry_id: str) -> Response:
    studio.speakers()  # whose voice another studio on the folder has deleted takes along what was kept of it
    return Response(wav_of(studio.history.audio(entry_id)), media_type="audio/wav", headers=GUARDED)


def _download(studio: Studio, name: str, with_prompts: bool) -> Response:
    speaker, data = studio.library.export(name, with_prompts=with_prompts)
    disposition = {"Content-Disposition": f'attachment; filename="{file_name_of(speaker)}"'}
    return Response(data, media_type="application/zip", headers=GUARDED | disposition)
